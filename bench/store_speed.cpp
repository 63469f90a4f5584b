// Speed and memory of the store: store_speed ROWS FOLDER
// Writes a CSV of ROWS rows with the columns of the largest measured file (20 columns, gzip), imports it,
// scans all columns. The peer of the import is `zcat FILE | wc -l` on the same file, run in turn with it.
// Prints rows a second, the ratios, and the peak memory in MB (1e6 bytes).

#include <sys/resource.h>
#include <zlib.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "sim/core/error.h"
#include "sim/store/store_import.h"
#include "sim/store/store_reader.h"

namespace {

std::string seven_digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.7g", value);
  return text;
}

void write_rows(const std::string& path, std::size_t rows) {
  std::mt19937_64 random(1);
  const auto pick = [&](const std::vector<const char*>& texts) {
    return std::string(texts[random() % texts.size()]);
  };
  const auto size = [&](std::uint64_t most) { return std::to_string(1 + random() % most); };
  gzFile file = gzopen(path.c_str(), "wb6");
  gzputs(file,
         "gpu,framework,precision,mode,n_gpus,batch,input_size,in_channels,out_channels,kernel,stride,"
         "padding,bias,"
         "activation,optimizer,time_ms,time_ms_min,time_ms_max,time_ms_std,source\n");
  const std::vector<const char*> gpus = {"gtx1080ti", "k40", "k80", "m60", "p100-pcie", "v100-sxm2"};
  for (std::size_t row = 0; row < rows; ++row) {
    const double time_ms = std::exp(std::normal_distribution<>(1.5, 2)(random));
    std::string line =
        std::string(gpus[row * gpus.size() / rows]) + ",tf1.10,fp32," + pick({"forward", "training"});
    line += ",1," + size(64) + "," + size(512) + "," + size(1024) + "," + size(1024) + "," + size(7) + "," +
            size(4);
    line += "," + pick({"same", "valid"}) + "," + pick({"0", "1"}) + "," +
            pick({"none", "relu", "tanh", "sigmoid"});
    line += "," + pick({"none", "sgd", "adam", "adagrad", "rmsprop", "momentum", "adadelta"});
    line +=
        "," + seven_digits(time_ms) + "," + seven_digits(0.99 * time_ms) + "," + seven_digits(1.02 * time_ms);
    line += "," + seven_digits(0.01 * time_ms) + ",made\n";
    gzputs(file, line.c_str());
  }
  gzclose(file);
}

template <typename Body>
double seconds(Body&& body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

double peak_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024 / 1e6;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: store_speed ROWS FOLDER\n");
    return 2;
  }
  const std::size_t rows = std::strtoull(argv[1], nullptr, 10);
  const std::string csv = std::string(argv[2]) + "/store_speed.csv.gz";
  const std::string store = std::string(argv[2]) + "/store_speed.h5";
  try {
    write_rows(csv, rows);
    std::vector<double> import_s;
    std::vector<double> peer_s;
    std::vector<double> scan_s;
    layersim::Warnings warnings;
    const double start_mb = peak_mb();
    double import_mb = 0;
    for (int repetition = 0; repetition < 5; ++repetition) {
      std::remove(store.c_str());
      import_s.push_back(seconds([&] { layersim::import_files({csv}, store, warnings); }));
      if (repetition == 0) import_mb = peak_mb();
      peer_s.push_back(seconds([&] {
        if (std::system(("zcat '" + csv + "' | wc -l > /dev/null").c_str()) != 0) std::abort();
      }));
      scan_s.push_back(seconds([&] {
        const layersim::StoreReader reader(store);
        layersim::StoreRows scan(reader, "conv");
        layersim::Table batch = scan.make_table();
        for (; scan.read(batch, 8192); batch.clear_rows()) {
        }
      }));
    }
    const auto rate = [&](const std::vector<double>& times) {
      return static_cast<double>(rows) / median(times) / 1e6;
    };
    std::printf("import     %8.2f million rows/s  %.2f of the time of zcat | wc -l\n", rate(import_s),
                median(import_s) / median(peer_s));
    std::printf("scan       %8.2f million rows/s  %.2f of the time of zcat | wc -l\n", rate(scan_s),
                median(scan_s) / median(peer_s));
    std::printf("peak memory of the import %.1f MB, %.1f MB before\n", import_mb, start_mb);
  } catch (const layersim::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return error.exit_code();
  }
  std::remove(csv.c_str());
  std::remove(store.c_str());
  return 0;
}
