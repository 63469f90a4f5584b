// Against what others have measured. No row of several GPUs was used to fit anything but where it is said.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>

#include "sim/parallel/collective.h"
#include "sim/runs/validation.h"
#include "sim/store/csv_reader.h"
#include "tests/shared_files.h"
#include "tests/store/temporary_folder.h"

using namespace layersim;
using namespace layersim::tests;

namespace {

using Row = std::map<std::string, std::string>;

std::vector<Row> rows_of(const std::string& file) {
  CsvReader csv(shared_path(file).string());
  std::vector<Row> rows;
  while (csv.next()) {
    Row& row = rows.emplace_back();
    for (std::size_t i = 0; i < csv.fields().size(); ++i) row[csv.header()[i]] = csv.fields()[i];
  }
  return rows;
}

double median(std::vector<double> values) {
  REQUIRE_FALSE(values.empty());
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

Cluster in_one_host(const Row& row) {
  // NCCL 2.0 in these hosts: only the TITAN X (Pascal) copied directly, by the times for two devices.
  const bool direct = row.at("gpu") == "titan-x-pascal";
  return {.devices = std::stoi(row.at("n_gpus")),
          .hosts = 1,
          .inside = InterconnectDb().find(direct ? "pcie3-x16" : "pcie3-x16-host"),
          .between = {}};
}

}  // namespace

TEST_CASE("all-reduce within a host: median error at most 15 % on rows that nothing was fitted to") {
  if (!have_shared("data/layers/deepbench_allreduce.csv")) return;
  std::vector<double> errors;
  for (const Row& row : rows_of("data/layers/deepbench_allreduce.csv")) {
    // The rows for two devices gave the efficiency of PCIe.
    if (row.at("n_nodes") != "1" || row.at("n_gpus") == "2") continue;
    const double bytes = std::stod(row.at("size_floats")) * 4;
    const double measured_ms = std::stod(row.at("time_ms"));
    errors.push_back(std::fabs(all_reduce_ms(in_one_host(row), bytes) / measured_ms - 1));
  }
  CHECK(errors.size() == 48);
  WARN("median error " << 100 * median(errors) << " % of " << errors.size() << " rows");
  CHECK(median(errors) <= 0.15);
}

TEST_CASE("all-reduce between hosts over InfiniBand FDR: median error at most 15 %") {
  if (!have_shared("data/layers/deepbench_allreduce.csv")) return;
  std::vector<double> errors;
  for (const Row& row : rows_of("data/layers/deepbench_allreduce.csv")) {
    if (row.at("n_nodes") == "1" || row.at("gpu") != "titan-x-pascal" ||
        row.at("library_version") != "NCCL 2.0 MPI")
      continue;
    const Cluster cluster{.devices = std::stoi(row.at("n_gpus")),
                          .hosts = std::stoi(row.at("n_nodes")),
                          .inside = InterconnectDb().find("pcie3-x16"),
                          .between = InterconnectDb().find("infiniband-fdr")};
    const double bytes = std::stod(row.at("size_floats")) * 4;
    errors.push_back(std::fabs(all_reduce_ms(cluster, bytes) / std::stod(row.at("time_ms")) - 1));
  }
  CHECK(errors.size() == 8);
  CHECK(median(errors) <= 0.15);
}

TEST_CASE("data, tensor and pipeline parallel transformers: mean error at most 10 %, none above 15 %") {
  if (!have_shared("data/networks/neusight_transformers.csv")) return;
  if (!have_shared("networks/transformers/gpt2_large_1024.onnx")) return;
  const std::map<std::string, std::string> kinds{{"dp4", "ddp"}, {"tp4", "tp"}, {"pp4", "pp"}};
  std::string table = "network,gpu,stack,mode,optimizer,n_gpus,parallel,micro_batches,batch,measured_ms\n";
  for (const Row& row : rows_of("data/networks/neusight_transformers.csv")) {
    if (row.at("n_gpus") == "1") continue;
    table += shared_path("networks/transformers/gpt2_large_1024.onnx").string() + ',' + row.at("gpu") +
             ",pytorch2.1,training,,4," + kinds.at(row.at("parallel")) + ',' + row.at("micro_batches") + ',' +
             row.at("batch") + ',' + row.at("total_ms") + '\n';
  }
  const TemporaryFolder folder;
  const Validation validation =
      validate_runs(read_run_table(folder.write("runs.csv", table)), *make_predictor(""), false);
  CHECK(validation.overall.n == 9);
  WARN("mean error " << 100 * validation.overall.mape << " %");
  CHECK(validation.overall.mape <= 0.10);
  for (const RunResult& result : validation.results) {
    INFO(validation.run_of(result).row[1] << ' ' << validation.run_of(result).row[6] << ' '
                                          << result.predicted_ms);
    CHECK(result.ape <= 0.15);
  }
}

TEST_CASE(
    "DataParallel on 2 and 3 cards that nothing was fitted to: order of networks, and growth with cards") {
  if (!have_shared("data/networks/torchvision_pytorch14.csv")) return;
  std::string table = "network,gpu,stack,mode,optimizer,n_gpus,parallel,batch,measured_ms\n";
  for (const Row& row : rows_of("data/networks/torchvision_pytorch14.csv")) {
    if (row.at("gpu") != "titan-xp" || row.at("precision") != "fp32") continue;
    if (row.at("n_gpus") != "2" && row.at("n_gpus") != "3") continue;
    table += row.at("model") + ",titan-xp,pytorch," + row.at("mode") + ",," + row.at("n_gpus") + ",dp," +
             row.at("batch") + ',' + row.at("time_ms") + '\n';
  }
  const TemporaryFolder folder;
  const Validation validation =
      validate_runs(read_run_table(folder.write("runs.csv", table)), *make_predictor(""), false);
  REQUIRE(validation.overall.n == 2 * 2 * 29);
  WARN("mean error " << 100 * validation.overall.mape << " %");
  CHECK(validation.overall.mape <= 0.15);
  int pairs = 0;
  int in_order = 0;
  for (const RunResult& a : validation.results) {
    for (const RunResult& b : validation.results) {
      const Run& run_a = validation.run_of(a);
      const Run& run_b = validation.run_of(b);
      const bool same_network = run_a.network == run_b.network;
      const bool same_cards = run_a.batch == run_b.batch;
      if (run_a.mode != run_b.mode || same_network == same_cards) continue;
      if (run_a.measured_ms < 1.1 * run_b.measured_ms) continue;  // near a tie
      ++pairs;
      if (a.predicted_ms > b.predicted_ms) ++in_order;
    }
  }
  CHECK(pairs > 1000);
  CHECK(in_order >= 0.95 * pairs);
}
