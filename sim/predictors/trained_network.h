#pragma once
// A feed-forward network for one feature family, as every trainer leaves it and as the predictor file holds
// it, and the one engine that runs it.

#include <span>
#include <string>
#include <vector>

#include "sim/features/device_numbers.h"
#include "sim/features/feature_family.h"

namespace layersim {

// Fully connected: out = activation(in * weights^T + bias). The last layer has no activation.
struct DenseLayer {
  int inputs = 0;
  int outputs = 0;
  std::vector<float> weights;  // outputs x inputs, row-major
  std::vector<float> bias;     // outputs
};

// Half-width of the 90 % interval of log(time), by predicted time: bucket i holds predictions up to
// upper_ms[i] (the last: all above). From residuals of rows kept out of training.
struct IntervalTable {
  std::string gpu;  // empty: the table for devices and stacks without their own
  std::string stack;
  Pass pass = Pass::forward;
  std::vector<double> upper_ms;
  std::vector<double> half_width;
};
[[nodiscard]] double half_width(const IntervalTable& table, double predicted_ms);

// Where rows of a (device, stack, pass) came from and how well they are predicted when kept out.
struct KnownRows {
  std::string gpu;
  std::string stack;
  std::string precision;
  std::string pass;
  std::int64_t rows = 0;           // trained on
  std::int64_t held_out_rows = 0;  // of configurations that training never saw
  double held_out_mape = 0;        // 0.05 is 5 %
  double held_out_rmse_ms = 0;
  double held_out_coverage = 0;  // share of them inside the 90 % interval
};

// A device as a stack drives it.
struct Machine {
  std::string stack;
  std::string gpu;
  bool operator==(const Machine& other) const = default;
};

// Layers with SiLU between them; the last has one output per term.
using Mlp = std::vector<DenseLayer>;

struct TrainedNetwork {
  std::string family;       // FeatureFamily::name
  std::string stack_group;  // how the names of its stacks begin ("tf"); "*": rows of all stacks
  // Features: the family's own, those of the device (device_numbers.h), one-hots of these devices and stacks.
  DeviceView device_view = DeviceView::full;
  std::vector<std::string> gpus;
  std::vector<std::string> stacks;
  std::vector<float> mean;  // per feature; x' = clamp((x - mean) / scale, -8, 8)
  std::vector<float> scale;
  std::vector<float> low;  // trained range per feature of the family, for inside_trained_range
  std::vector<float> high;
  std::string training;      // how it was trained, for people
  std::vector<Mlp> members;  // the prediction is their mean of log(time)
  // Log factors of the terms for a device: linear in device_factor_specs() and in a one-hot of these
  // machines. terms x both, row-major; empty for none.
  std::vector<float> factor_weights;
  std::vector<Machine> machines;
  std::vector<IntervalTable> intervals;  // the first is the one for all others
  std::vector<KnownRows> known;
  // How the network is adapted to a device by a few of its measured rows (trainers/calibrate.h).
  struct Calibration {
    std::string gpu;
    std::vector<double> log_factors;   // one per term, added
    std::vector<float> device_inputs;  // normalised: what stands for the device, then for its one-hots
    double width_factor = 1;           // of the half-widths of the intervals
  };
  std::vector<Calibration> calibrations;
};

struct TimeEstimate {
  float log_ms = 0;
  // Without the first term, the launch: in a network the host launches ahead of the device, while a benchmark
  // of one layer waits for it each time.
  float log_work_ms = 0;
  float log_sheet_ms = 0;    // the longest of the terms but the launch, as the data sheet has them
  float log_half_width = 0;  // of the 90 % interval
  bool inside_trained_range = false;
};

// The normalised inputs that tell the device apart to a network with the full view of it:
// identity_feature_count() of device_numbers.h, then the one-hots of the network's devices. What a
// calibration replaces.
[[nodiscard]] std::vector<float> device_inputs(const TrainedNetwork& network, const Conditions& conditions);

// device_factors() of the device, then 1 for its machine among these and 0 for the others.
[[nodiscard]] std::vector<float> machine_factors(const Conditions& conditions,
                                                 std::span<const Machine> machines);
// One for each term: what the factor weights make of them, added to the log factors.
[[nodiscard]] std::vector<float> term_log_factors(const TrainedNetwork& network,
                                                  const Conditions& conditions);

// Runs `network` over queries that share their conditions, in blocks; estimates[i] answers queries[i].
// A device or stack without a one-hot of its own has all of them 0. A calibration for the device is used.
void evaluate(const TrainedNetwork& network, std::span<const FeatureQuery> queries,
              const Conditions& conditions, std::span<TimeEstimate> estimates);

}  // namespace layersim
