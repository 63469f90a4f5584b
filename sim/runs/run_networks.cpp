#include "sim/runs/run_networks.h"

#include "sim/core/error.h"
#include "sim/features/run_conditions.h"
#include "sim/import/open_network.h"

namespace layersim {
namespace {

// Networks that are kept: a table in no particular order should not fill the memory.
constexpr std::size_t kMostKept = 512;

// Everything that decides what a network looks like.
std::string key_of(const Run& run) {
  std::string key = run.network + '\n' + std::to_string(run.batch) + '\n' + std::string(name(run.mode)) +
                    '\n' + (run.precision ? std::string(name(*run.precision)) : "");
  for (const auto& [axis, size] : run.bindings.dims) key += '\n' + axis + '=' + std::to_string(size);
  for (const auto& [input, shape] : run.bindings.inputs) key += '\n' + input + '=' + to_string(shape);
  return key;
}

RunSettings settings_of(const Run& run) {
  return {.mode = run.mode,
          .optimizer = run.optimizer,
          .precision = run.precision,
          .stack = run.stack,
          .n_gpus = run.parallel.cluster.devices};
}

}  // namespace

const RunNetworks::Imported& RunNetworks::import(const Run& run) {
  std::string key = run.network;  // and the shapes, which TorchScript is read with
  for (const auto& [input, shape] : run.bindings.inputs) key += '\n' + input + '=' + to_string(shape);
  const auto found = imported_.find(key);
  if (found != imported_.end()) return found->second;
  Imported imported;
  imported.graph = open_network(run.network, imported.warnings, run.bindings);
  return imported_.emplace(key, std::move(imported)).first->second;
}

RunNetworks::Decomposed RunNetworks::decompose_run(const Run& run) {
  const Imported& imported = import(run);
  DecomposeOptions options;
  options.bindings = run.bindings;
  options.bindings.batch = run.batch;
  options.training = run.mode == Mode::training;
  auto network = std::make_shared<Network>(decompose(imported.graph, options, imported.warnings));
  const Conditions conditions = settle_conditions(*network, *run.device, settings_of(run));
  return {std::move(network), conditions.precision};
}

PreparedRun RunNetworks::prepare(const Run& run) {
  const std::string key = key_of(run);
  auto found = decomposed_.find(key);
  if (found == decomposed_.end()) {
    if (decomposed_.size() >= kMostKept) decomposed_.clear();
    try {
      found = decomposed_.emplace(key, decompose_run(run)).first;
    } catch (const Error& error) {
      // By the name that the table has, not by that of the file as it was opened.
      std::string message = error.what();
      if (message.starts_with(run.network + ": ")) message.erase(0, run.network.size() + 2);
      throw bad_input(run.network_name + ": " + message);
    }
  }
  return {found->second.network, run_conditions(*run.device, settings_of(run), found->second.precision)};
}

}  // namespace layersim
