#include "sim/store/column.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace layersim {

namespace {

using namespace std::string_view_literals;

constexpr std::array kTextFeatures = {
    "activation"sv,   "cell"sv,         "dim"sv,       "dtype"sv,      "function"sv,  "input"sv,
    "input_shapes"sv, "interconnect"sv, "kind"sv,      "layer_kind"sv, "math"sv,      "mode"sv,
    "model"sv,        "network"sv,      "op"sv,        "op_label"sv,   "optimizer"sv, "output_shape"sv,
    "padding"sv,      "parallel"sv,     "precision"sv, "problem"sv,
};

constexpr std::array kTextPlaces = {
    "backend"sv,         "cuda"sv,      "cudnn"sv,  "date"sv,        "device"sv,
    "driver"sv,          "framework"sv, "gpu"sv,    "host"sv,        "instance"sv,
    "library_version"sv, "run"sv,       "source"sv, "source_part"sv, "stack"sv,
};

constexpr std::array kTextResults = {"algorithm"sv, "skip_reason"sv};

constexpr std::array kCounts = {
    "a_trans"sv,
    "axis_size"sv,
    "b_trans"sv,
    "batch"sv,
    "batch_per_gpu"sv,
    "beams"sv,
    "bias"sv,
    "bidirectional"sv,
    "causal"sv,
    "channels"sv,
    "cols"sv,
    "dataset_size"sv,
    "depth"sv,
    "dilation"sv,
    "dilation_d"sv,
    "dilation_h"sv,
    "dilation_w"sv,
    "directions"sv,
    "elements"sv,
    "elements_read"sv,
    "elements_written"sv,
    "epochs"sv,
    "ffn"sv,
    "fusion"sv,
    "gemm_batch"sv,
    "groups"sv,
    "head_size"sv,
    "heads"sv,
    "height"sv,
    "hidden"sv,
    "hidden_size"sv,
    "in_channels"sv,
    "in_d"sv,
    "in_elements"sv,
    "in_features"sv,
    "in_h"sv,
    "in_height"sv,
    "in_w"sv,
    "in_width"sv,
    "includes_input_copy"sv,
    "input_gradient"sv,
    "input_h"sv,
    "input_size"sv,
    "input_w"sv,
    "inputs"sv,
    "k"sv,
    "kernel"sv,
    "kernel_d"sv,
    "kernel_h"sv,
    "kernel_w"sv,
    "key_length"sv,
    "kv_heads"sv,
    "layers"sv,
    "lookups"sv,
    "m"sv,
    "matrices_a"sv,
    "matrices_b"sv,
    "micro_batches"sv,
    "n"sv,
    "n_gpus"sv,
    "n_inputs"sv,
    "n_nodes"sv,
    "nodes"sv,
    "num_classes"sv,
    "num_layer"sv,
    "op_index"sv,
    "operand_elements"sv,
    "operands"sv,
    "out_channels"sv,
    "out_d"sv,
    "out_elements"sv,
    "out_features"sv,
    "out_h"sv,
    "out_height"sv,
    "out_w"sv,
    "out_width"sv,
    "output_bits"sv,
    "output_padding_d"sv,
    "output_padding_h"sv,
    "output_padding_w"sv,
    "outputs"sv,
    "pad"sv,
    "pad_begin_d"sv,
    "pad_begin_h"sv,
    "pad_begin_w"sv,
    "pad_end_d"sv,
    "pad_end_h"sv,
    "pad_end_w"sv,
    "pad_h"sv,
    "pad_w"sv,
    "padded"sv,
    "peepholes"sv,
    "pixel"sv,
    "profiled_steps"sv,
    "query_length"sv,
    "repetitions"sv,
    "residual"sv,
    "rows"sv,
    "scale"sv,
    "seq"sv,
    "seq_kv"sv,
    "size_floats"sv,
    "steps"sv,
    "stored_b"sv,
    "stride"sv,
    "stride_d"sv,
    "stride_h"sv,
    "stride_w"sv,
    "table_rows"sv,
    "taps"sv,
    "timesteps"sv,
    "transposed_a"sv,
    "transposed_b"sv,
    "validation_size"sv,
    "value_head_size"sv,
    "vocab"sv,
    "weights"sv,
    "width"sv,
    "pcie_link_gen_current"sv,
    "pcie_link_gen_max"sv,
    "pcie_link_width_current"sv,
    "pcie_link_width_max"sv,
};

constexpr std::array kStatistics = {"_min"sv, "_max"sv, "_std"sv, "_mean"sv, "_median"sv,
                                    "_p10"sv, "_p25"sv, "_p50"sv, "_p75"sv,  "_p90"sv};

struct UnitSuffix {
  std::string_view suffix;
  std::string_view unit;
  ColumnRole role;
};

// Sizes in bytes say what was measured; times and readings of the device are results.
constexpr std::array kUnits = {
    UnitSuffix{"_gb_s", "GB/s", ColumnRole::measured}, UnitSuffix{"_ms", "ms", ColumnRole::measured},
    UnitSuffix{"_us", "us", ColumnRole::measured},     UnitSuffix{"_s", "s", ColumnRole::measured},
    UnitSuffix{"_mb", "MB", ColumnRole::feature},      UnitSuffix{"_mib", "MiB", ColumnRole::feature},
    UnitSuffix{"_bytes", "byte", ColumnRole::feature}, UnitSuffix{"_mhz", "MHz", ColumnRole::measured},
    UnitSuffix{"_w", "W", ColumnRole::measured},       UnitSuffix{"_c", "Cel", ColumnRole::measured},
    UnitSuffix{"_pct", "%", ColumnRole::measured},     UnitSuffix{"_samples", "1", ColumnRole::measured},
};

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string_view without_statistic(std::string_view name) {
  for (const std::string_view statistic : kStatistics) {
    if (name.ends_with(statistic)) return name.substr(0, name.size() - statistic.size());
  }
  return name;
}

}  // namespace

ColumnSpec column_spec(std::string_view name) {
  const auto spec = [&](ColumnType type, ColumnRole role, std::string_view unit) {
    return ColumnSpec{std::string(name), type, role, std::string(unit), true};
  };
  if (contains(kTextFeatures, name)) return spec(ColumnType::text, ColumnRole::feature, "");
  if (contains(kTextPlaces, name)) return spec(ColumnType::text, ColumnRole::where, "");
  if (contains(kTextResults, name)) return spec(ColumnType::text, ColumnRole::measured, "");
  if (contains(kCounts, name)) return spec(ColumnType::integer, ColumnRole::feature, "1");
  if (name == "sparsity") return spec(ColumnType::real, ColumnRole::feature, "1");
  // Constants that CUDA's deviceQuery prints.
  if (name.starts_with("dq_")) return spec(ColumnType::real, ColumnRole::where, "1");
  const std::string_view base = without_statistic(name);
  for (const UnitSuffix& unit : kUnits) {
    if (base.ends_with(unit.suffix)) return spec(ColumnType::real, unit.role, unit.unit);
  }
  return {std::string(name), ColumnType::text, ColumnRole::feature, "", false};
}

std::string_view name(ColumnType type) {
  switch (type) {
    case ColumnType::text:
      return "text";
    case ColumnType::integer:
      return "integer";
    case ColumnType::real:
      return "real";
  }
  return "";
}

std::string_view name(ColumnRole role) {
  switch (role) {
    case ColumnRole::feature:
      return "feature";
    case ColumnRole::where:
      return "where";
    case ColumnRole::measured:
      return "measured";
  }
  return "";
}

}  // namespace layersim
