#pragma once
// Measured runs as libtorch holds them.

#include <torch/torch.h>

#include <cmath>
#include <vector>

#include "trainers/run_dataset.h"
#include "trainers/torch/torch_mlp.h"

namespace layersim {

// Numbers of all runs, as tensors.
struct RunColumns {
  explicit RunColumns(const RunSet& set)
      : kernels(column(set, [](const MeasuredRun& run) { return run.host.kernels; })),
        update_kernels(column(set, [](const MeasuredRun& run) { return run.host.update_kernels; })),
        update_ms(column(set,
                         [&](const MeasuredRun& run) {
                           return run.host.update_bytes /
                                  (set.setting(run).device->memory_bandwidth_gb_s * 1e6);
                         })),
        input_bytes(column(set, [](const MeasuredRun& run) { return run.host.input_bytes; })),
        log_ms(column(set, [](const MeasuredRun& run) { return std::log(run.measured_ms); })),
        is_layer(column(set, [](const MeasuredRun& run) { return run.is_layer ? 1.0 : 0.0; }) > 0.5),
        operations_ms(operations(set)) {}

  // runs x classes
  static torch::Tensor operations(const RunSet& set) {
    std::vector<float> values;
    for (const MeasuredRun& run : set.runs) {
      for (const double ms : run.operations_ms) values.push_back(static_cast<float>(ms));
    }
    return matrix_of(values, set.runs.size(), static_cast<int>(kStepOperations));
  }

  template <typename NumberOf>
  static torch::Tensor column(const RunSet& set, NumberOf number_of) {
    std::vector<double> values;
    for (const MeasuredRun& run : set.runs) values.push_back(number_of(run));
    return column_of(values);
  }

  torch::Tensor kernels, update_kernels, update_ms, input_bytes, log_ms, is_layer, operations_ms;
};

}  // namespace layersim
