#pragma once
// A whole step of a network: networks for the parts of its layers, and what the layers do not account for.
// The host prepares every kernel and every step, mostly while the device works; inputs are copied to the
// device; the optimizer updates the weights:
//
//   device = sum of the parts + kernels x gap + update          (ms)
//   host   = step + kernels x launch
//   batch  = (device^p + host^p)^(1/p) + input copy             p: how sharply the longer of the two decides
//
// All are learned at once from measured runs (trainers/run_training.h).

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/features/conditions.h"
#include "sim/predictors/novelty.h"
#include "sim/predictors/trained_network.h"

namespace layersim {

// What of a step the host's share follows from.
struct HostWork {
  double kernels = 0;         // launched by the layers, forward and backward
  double update_kernels = 0;  // launched by the optimizer
  double update_bytes = 0;    // moved by the optimizer
  double input_bytes = 0;     // of the network's inputs
};

enum class Overhead : unsigned char { step, launch, copy, update, gap, update_launch };
inline constexpr std::size_t kOverheads = 6;
using OverheadLogs = std::array<double, kOverheads>;

// Where training starts: step 1 ms; launch 8 us a kernel; copy 5 GB/s; update as the data sheet's bandwidth
// allows; gap 3 us between kernels; launch 8 us a kernel of the update.
[[nodiscard]] const OverheadLogs& prior_overheads();

// Added to the logarithms of all stacks and devices that it names.
struct OverheadShift {
  std::string stack;  // "tf2.5"; "tf*": all that begin so; empty: all
  std::string gpu;    // empty: all
  OverheadLogs shift{};
};

[[nodiscard]] bool applies(const OverheadShift& shift, std::string_view gpu, std::string_view stack);

// Half-width, in log(time), of the 90 % interval of a batch, for runs of such a stack, by what of them the
// training did not know.
struct RunInterval {
  std::string stack;  // as OverheadShift has it
  RunNovelty novelty = RunNovelty::none;
  double half_width = 0;
};

// Runs that the model was trained on, and how well it does when the network is left out.
struct KnownRuns {
  std::string gpu;
  std::string stack;
  std::string precision;
  std::string mode;
  std::int64_t runs = 0;
  std::int64_t held_out_runs = 0;
  double held_out_mape = 0;  // 0.05 is 5 %
  double held_out_coverage = 0;
  std::string family = {};  // of a specialist: the parts that it answers for; empty: all
};

// Names of the groups that a predictor file holds a run model and a specialist in; also the stack groups of
// their networks.
inline constexpr const char* kRunsGroup = "runs";
[[nodiscard]] std::string specialist_group(std::string_view stacks);

// Learned from all runs and layers, and made to carry over to devices without runs. Beside it specialists,
// which know their runs better and other devices worse: one of all runs that sees everything that is known of
// the devices. It answers for families of parts that occur in a device's own runs: of a device that ran
// transformers alone the other model tells convolutions.
struct RunModel {
  std::string stacks;                 // of a specialist, whose runs it learned from: "tf*", "*"; else empty
  std::vector<RunModel> specialists;  // without intervals and specialists of their own
  std::vector<TrainedNetwork> networks;  // conv, gemm, streaming
  double smoothness = 4;                 // p
  std::vector<OverheadShift> shifts;
  std::vector<RunInterval> intervals;
  std::vector<KnownRuns> known;  // of a specialist: what it answers for
  // By device: of the layers of its runs, in order. Files of before have none.
  std::map<std::string, std::vector<WeightShape>, std::less<>> weight_shapes;

  // nullptr when there is none.
  [[nodiscard]] const TrainedNetwork* network(std::string_view family) const;
  [[nodiscard]] bool knows(std::string_view gpu, std::string_view stack) const;
  // Whether runs with the stack, on any device, have parts of the family.
  [[nodiscard]] bool stack_has(std::string_view stack, std::string_view family) const;
  // Whether a layer has weights, and of a shape that no run on this device has; of a device without runs:
  // that no run has at all.
  [[nodiscard]] bool is_new(const std::optional<WeightShape>& weights, std::string_view gpu) const;
  // Of the specialist where it answers for such parts, else the model's own; nullptr when there is none.
  [[nodiscard]] const TrainedNetwork* network(std::string_view family, std::string_view gpu,
                                              std::string_view stack) const;
  // The specialist that answers for a device and stack, else the model itself.
  [[nodiscard]] const RunModel& specialist(std::string_view gpu, std::string_view stack) const;
};

// Of the specialist, where there is one. Values in ms, ms per byte, or as a factor, in the order of Overhead.
[[nodiscard]] OverheadLogs overheads(const RunModel& model, std::string_view gpu, std::string_view stack);

// `device_ms`: layers with their gaps and updates, as run_layers.h predicts them.
[[nodiscard]] double batch_ms(const RunModel& model, const Conditions& conditions, double device_ms,
                              const HostWork& host);

// Of the 90 % interval, in log(time).
[[nodiscard]] double run_half_width(const RunModel& model, std::string_view stack, RunNovelty novelty);

// "tf2.5" -> "tf*": the framework without its version; a name without one is itself.
[[nodiscard]] std::string framework_pattern(std::string_view stack);
// Whether a pattern ("tf*", "tf2.5", empty) names the stack.
[[nodiscard]] bool names_stack(std::string_view pattern, std::string_view stack);

}  // namespace layersim
