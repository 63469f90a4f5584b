#include "sim/store/csv_writer.h"

#include <zlib.h>
#include <catch2/catch.hpp>

#include "sim/core/error.h"
#include "sim/store/store_import.h"
#include "tests/shared_files.h"
#include "tests/store/temporary_folder.h"

namespace layersim {
namespace {

std::string gunzip(const std::string& path) {
  gzFile file = gzopen(path.c_str(), "rb");
  std::string text;
  std::vector<char> block(1 << 16);
  for (int count = 0; (count = gzread(file, block.data(), 1 << 16)) > 0;) {
    text.append(block.data(), static_cast<std::size_t>(count));
  }
  gzclose(file);
  return text;
}

TEST_CASE("An exported kind is the imported file again") {
  const tests::TemporaryFolder folder;
  const std::string text =
      "gpu,mode,library_version,m,n,k,colour,time_ms\n"
      "k80,forward,\"8.0, \"\"patched\"\"\",1,2,3,,0.1\n"
      "k80,forward,,,2,9007199254740991,caf\xc3\xa9,1e-07\n";
  const std::string csv = folder.write("a.csv", text);
  const std::string store = folder.file("bench.h5");
  Warnings warnings;
  import_files({csv}, store, warnings);
  const std::string out = folder.write("out.csv", "old");
  export_csv(StoreReader(store), "gemm", out);
  CHECK(tests::read_file(out) == text);
  CHECK_THROWS_WITH(export_csv(StoreReader(store), "conv", out), store + " has no rows of kind 'conv'");
  CHECK_THROWS_WITH(export_csv(StoreReader(store), "gemm", "/nowhere/out.csv"),
                    "/nowhere/out.csv: cannot write: No such file or directory");
  CHECK_THROWS_WITH(export_csv(StoreReader(store), "gemm", "/dev/full"),
                    "/dev/full: cannot write: No space left on device");
}

TEST_CASE("Measured files come out as they went in, byte for byte") {
  if (!tests::have_shared("data/layers/justus_dense.csv.gz")) return;
  const std::vector<std::pair<std::string, std::string>> files = {
      {"layers/neusight_rowwise.csv.gz", "rowwise"},
      {"layers/neusight_network_ops.csv.gz", "network_ops"},
      {"layers/deepbench_rnn.csv.gz", "rnn"},
      {"layers/deepbench_conv.csv.gz", "conv"},
      {"networks/torchvision_pytorch14.csv", "networks"}};
  for (const auto& [file, kind] : files) {
    INFO(file);
    const tests::TemporaryFolder folder;
    const std::string path = tests::shared_path("data/" + file).string();
    const std::string store = folder.file("bench.h5");
    Warnings warnings;
    import_files({path}, store, warnings);
    const std::string out = folder.file("out.csv");
    export_csv(StoreReader(store), kind, out);
    CHECK(tests::read_file(out) == gunzip(path));
  }
}

}  // namespace
}  // namespace layersim
