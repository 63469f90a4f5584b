#pragma once
// One structure for everything that is said about a network; the formats beside this file print it. Times are
// per batch, with loops counted as often as they run, so that the rows of the layers add up to the totals.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hwdb/price_list.h"
#include "sim/core/shape.h"
#include "sim/predictors/predictor.h"

namespace layersim {

// An activation whose time is within that of the layer before: a row of its own in JSON and CSV, since it is
// an operator of the file, and part of the layer's row in the table.
struct FusedReport {
  std::string name;
  std::string op;
};

struct LayerReport {
  std::string name;
  std::string kind;    // empty: an operator without a model
  std::string op;      // as in the file
  std::string output;  // name of its first result; empty: within a node that stands for several layers
  std::optional<Shape> output_shape;
  std::vector<std::pair<std::string_view, std::int64_t>> parameters;  // of the kind: out_channels 64 ...
  std::string_view activation;                                        // fused into it; empty: none
  std::optional<FusedReport> fused;                                   // its node, where it has one
  std::string unmodelled_reason;
  double params = 0;  // that this layer is the first to use
  double weight_bytes = 0;
  double repeats = 1;  // executions per batch; 0 in a branch that is not taken
  double macs = 0;     // forward, over all repeats, as the following
  double flop = 0;
  double bytes = 0;
  LayerPrediction time;             // over all repeats; all 0 in a report without a run
  std::string_view bound_by;        // "compute", "memory" or "launch"; empty: without a run, or without work
  std::optional<double> before_ms;  // of a hypothetical device: on the one that exists

  // Of a known kind, which the predictor has learned where there is one.
  [[nodiscard]] bool is_modelled() const { return !kind.empty() && time.basis != Basis::estimated; }
};

struct TensorReport {
  std::string name;
  std::optional<Shape> shape;
};

struct NetworkReport {
  std::string file;  // or name in the zoo
  double params = 0;
  double frozen_params = 0;  // of these: not trained
  double weight_bytes = 0;
  double macs_min = 0;  // of a forward pass over the batch; differ where a branch decides
  double macs_max = 0;
  std::int64_t batch = 1;
  std::vector<TensorReport> inputs;
  std::vector<TensorReport> outputs;
};

// Activations that are fused into a layer count as layers, with what holds for theirs.
struct CoverageReport {
  int layers = 0;
  int fused = 0;  // of them
  int modelled = 0;
  double macs_share = 1;  // of modelled layers, 0 to 1
  double bytes_share = 1;
  int inside_trained_range = 0;
  int new_weights = 0;  // with weights of sizes that no run on this device has
};

struct MemoryReport {
  double weights_mib = 0;
  double gradients_mib = 0;
  double optimizer_mib = 0;
  double activations_mib = 0;
  double workspace_mib = 0;
  double context_mib = 0;
  double usable_mib = 0;  // of the device
  bool fits = true;
  std::optional<std::int64_t> max_batch;  // that fits; nothing: was not asked for

  [[nodiscard]] double total_mib() const {
    return weights_mib + gradients_mib + optimizer_mib + activations_mib + workspace_mib + context_mib;
  }
};

// Gradients that are summed over all devices together.
struct BucketReport {
  double bytes = 0;
  std::size_t last_layer = 0;  // whose gradients fill it
};

// Of a run on several devices.
struct ParallelReport {
  std::string kind;          // as --parallel has it: "ddp"
  std::string interconnect;  // "nvlink3, between hosts infiniband-hdr"
  int nodes = 1;
  std::int64_t micro_batches = 1;     // of a pipeline
  std::int64_t device_batch = 1;      // samples that a device works on at once
  double interconnect_busy_ms = 0;    // of it, communication_ms are not hidden by other work
  std::vector<BucketReport> buckets;  // of ddp in training
};

// The device that exists, beside a hypothetical one.
struct BeforeReport {
  std::string gpu_name;
  double batch_ms = 0;
};

struct RunReport {
  std::string gpu;
  std::string gpu_name;
  double gpu_memory_gib = 0;
  Mode mode = Mode::training;
  Optimizer optimizer = Optimizer::none;
  Precision precision = Precision::fp32;
  std::string stack;  // empty: none in particular
  int n_gpus = 1;
  std::string method;
  std::string method_statement;
  bool method_is_trained = false;

  double forward_ms = 0;
  double backward_ms = 0;
  double optimizer_ms = 0;
  double overhead_ms = 0;
  double input_wait_ms = 0;     // for a loader that is slower than the device
  double communication_ms = 0;  // with other devices, not hidden by other work
  double bubble_ms = 0;         // for other stages of a pipeline
  double batch_ms = 0;          // the sum of the seven
  std::optional<Interval> batch_interval_ms;
  std::int64_t dataset_size = 0;
  bool dataset_size_is_default = false;
  std::int64_t validation_size = 0;
  double validation_s = 0;  // of one pass
  std::int64_t epochs = 1;
  double epoch_s = 0;  // with its validation pass; the last batch may be smaller
  double total_s = 0;
  std::optional<HourlyPrice> price;        // of all devices together; nothing: none is known
  MemoryReport memory;                     // of one device
  std::optional<ParallelReport> parallel;  // nothing: on one device
  std::optional<BeforeReport> before;      // of a hypothetical device

  // Of the whole run; only with a price.
  [[nodiscard]] double cost_usd() const { return price->usd * total_s / 3600; }
};

struct Report {
  NetworkReport network;
  CoverageReport coverage;
  std::vector<LayerReport> layers;
  std::optional<RunReport> run;  // what `predict` adds to `show`
  std::vector<std::string> warnings;
};

struct TableOptions {
  int width = 100;
  bool all_layers = false;  // else long networks are summarised by block
};

// Text for reading; ends in a newline, as the others do.
[[nodiscard]] std::string to_table(const Report& report, const TableOptions& options);
// The contract of the README: keys are stable.
[[nodiscard]] std::string to_json(const Report& report);
// One line a layer, with a header line.
[[nodiscard]] std::string to_csv(const Report& report);
// The following are for reports with a run. One HTML file that needs nothing beside it.
[[nodiscard]] std::string to_html(const Report& report);
// JSON that opens in Perfetto (ui.perfetto.dev) and chrome://tracing.
[[nodiscard]] std::string to_trace(const Report& report);

}  // namespace layersim
