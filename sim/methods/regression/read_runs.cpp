// A table of runs: features of the network taken apart and of the device sheet.

#include <algorithm>
#include <filesystem>

#include "sim/core/error.h"
#include "sim/methods/common/step_features.h"
#include "sim/methods/regression/regression_table.h"

namespace layersim {
namespace {

double number(const std::vector<NamedNumber>& numbers, std::string_view name) {
  return std::find_if(numbers.begin(), numbers.end(),
                      [&](const NamedNumber& each) { return each.name == name; })
      ->value;
}

// What several devices bring with them; 0 but for the batch and their number where there is one alone. All of
// them exchange the gradients in a ring, and wait in turn for the host, which launches the kernels of all.
std::vector<NamedNumber> parallel_features(const Run& run, const Network& network,
                                           const std::vector<NamedNumber>& step) {
  constexpr double kMegabytes = 4e-6;  // of a gradient
  const double devices = run.parallel.cluster.devices;
  const double others = (devices - 1) / devices;
  return {{"batch", static_cast<double>(run.batch)},
          {"n_gpus", devices},
          {"exchanged_mb", 2 * others * network.params * kMegabytes},
          {"shared_kernels", others * number(step, "kernels")}};
}

class RunReader {
 public:
  void add(const Run& run, RegressionTable& table) {
    Run share = run;
    share.batch = batch_of_device(run.plan, run.batch);
    const PreparedRun prepared = networks_->prepare(share);
    with_context(run.network_name, [&] { check_has_layers(*prepared.network); });
    RegressionRow row;
    row.target_ms = run.measured_ms;
    row.gpu = run.device->key;
    row.stack = run.stack;
    row.precision = name(prepared.conditions.precision);
    row.mode = name(run.mode);
    if (run.mode == Mode::training) row.optimizer = name(run.optimizer);
    row.network_warnings = network_warnings(*prepared.network);
    const auto step = step_features(*prepared.network, prepared.conditions);
    for (const auto& numbers :
         {parallel_features(run, *prepared.network, step), step, sheet_features(prepared.conditions)}) {
      for (const NamedNumber& number : numbers) {
        if (table.rows.empty()) table.features.push_back(number.name);
        row.features.push_back(number.value);
      }
    }
    precisions_.push_back(row.precision);
    gpus_.push_back(run.device->key);
    stacks_.push_back(run.stack);
    modes_.push_back(row.mode);
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

RegressionTable read_run_features(const std::string& file, bool needs_target,
                                  const std::vector<Device>& own_devices) {
  const RunTable runs = read_run_table(file, own_devices, needs_target);
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
