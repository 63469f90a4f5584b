// A table of runs: features of the network taken apart and of the device sheet.

#include <algorithm>
#include <filesystem>

#include "sim/core/error.h"
#include "sim/methods/common/step_features.h"
#include "sim/methods/regression/regression_table.h"

namespace layersim {
namespace {

// Numbers that are 1 where there is one device.
void add_parallel(const Run& run, const Network& network, RegressionTable& table, RegressionRow& row) {
  const double devices = run.parallel.cluster.devices;
  constexpr double kBytes = 4e-6;  // megabytes of a gradient
  const auto add = [&](const char* name, double value) {
    if (table.rows.empty()) table.features.emplace_back(name);
    row.features.push_back(value);
  };
  add("batch", static_cast<double>(run.batch));
  add("n_gpus", devices);
  add("exchanged_mb", (devices - 1) * network.params * kBytes);
}

class RunReader {
 public:
  void add(const Run& run, RegressionTable& table) {
    Run share = run;
    share.batch = batch_of_device(run.plan, run.batch);
    const PreparedRun prepared = networks_->prepare(share);
    RegressionRow row;
    row.target_ms = run.measured_ms;
    row.gpu = run.device->key;
    add_parallel(run, *prepared.network, table, row);
    for (const auto& numbers :
         {step_features(*prepared.network, prepared.conditions), sheet_features(prepared.conditions)}) {
      for (const NamedNumber& number : numbers) {
        if (table.rows.empty()) table.features.push_back(number.name);
        row.features.push_back(number.value);
      }
    }
    precisions_.emplace_back(name(prepared.conditions.precision));
    gpus_.push_back(run.device->key);
    stacks_.push_back(run.stack);
    modes_.emplace_back(name(run.mode));
    optimizers_.emplace_back(name(run.optimizer));
    table.rows.push_back(std::move(row));
  }
  void finish(RegressionTable& table) const {
    add_choices(table, "gpu", gpus_);
    add_choices(table, "stack", stacks_);
    add_choices(table, "mode", modes_);
    add_choices(table, "precision", precisions_);
    add_choices(table, "optimizer", optimizers_);
  }

  explicit RunReader(RunNetworks& networks) : networks_(&networks) {}

 private:
  RunNetworks* networks_;
  std::vector<std::string> gpus_;
  std::vector<std::string> stacks_;
  std::vector<std::string> modes_;
  std::vector<std::string> precisions_;
  std::vector<std::string> optimizers_;
};

}  // namespace

RegressionTable table_of_run(const Run& run, RunNetworks& networks) {
  RegressionTable table;
  RunReader reader(networks);
  reader.add(run, table);
  reader.finish(table);
  table.rows.front().network = std::filesystem::path(run.network_name).stem().string();
  return table;
}

RegressionTable read_run_features(const std::string& file) {
  const RunTable runs = read_run_table(file);
  RegressionTable table;
  RunNetworks networks;
  RunReader reader(networks);
  for (const Run& run : runs.runs) {
    with_context(runs.place(run), [&] { reader.add(run, table); });
    RegressionRow& row = table.rows.back();
    row.place = runs.place(run);
    row.network = runs.architecture(run);
    row.family = runs.field(run, "series");
    if (row.family.empty()) row.family = runs.field(run, "family");
    if (row.family.empty()) row.family = row.network;
  }
  reader.finish(table);
  return table;
}

}  // namespace layersim
