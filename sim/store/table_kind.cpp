#include "sim/store/table_kind.h"

#include <algorithm>

#include "sim/core/error.h"

namespace layersim {

namespace {

bool has(const std::vector<std::string>& columns, std::string_view names) {
  const auto options = alternatives(names);
  return std::any_of(options.begin(), options.end(), [&](std::string_view option) {
    return std::find(columns.begin(), columns.end(), option) != columns.end();
  });
}

std::string quoted(std::string_view names) {
  std::string text;
  for (const std::string_view option : alternatives(names)) {
    if (!text.empty()) text += " or ";
    text.append("'").append(option).append("'");
  }
  return text;
}

// Every column of the kind that is not there, as "'a', 'b' or 'c'"; empty when none is missing.
std::string missing(const TableKind& kind, const std::vector<std::string>& columns) {
  std::string text;
  for (const auto& list : {kind.signature, kind.required, {kind.time}}) {
    for (const std::string_view names : list) {
      if (has(columns, names)) continue;
      if (!text.empty()) text += ", ";
      text += quoted(names);
    }
  }
  return text;
}

}  // namespace

std::string_view name(TableGroup group) { return group == TableGroup::layers ? "layers" : "runs"; }

// Most telling first: a file of network operators has the columns of several kinds of layers as well.
const std::vector<TableKind>& table_kinds() {
  constexpr auto layers = TableGroup::layers;
  constexpr auto runs = TableGroup::runs;
  static const std::vector<TableKind> kKinds = {
      {"problems", layers, {"layer_kind"}, {"gpu", "mode"}, "time_ms"},
      {"network_ops", layers, {"op_index", "op", "model"}, {"gpu", "mode"}, "forward_ms|time_ms"},
      {"op_profiles", runs, {"profiled_steps", "model"}, {"gpu", "batch"}, "batch_ms"},
      {"hardware_metrics", runs, {"utilization_gpu_pct_mean", "model"}, {"gpu", "batch"}, "epoch_s|total_s"},
      {"networks",
       runs,
       {"model|network"},
       {"gpu", "batch", "mode"},
       "measured_ms|time_ms|batch_ms|total_ms|forward_ms|backward_ms"},
      {"conv",
       layers,
       {"in_channels", "out_channels", "kernel|kernel_w", "kernel|kernel_h"},
       {"gpu", "mode", "batch", "input_size|input_w", "input_size|input_h"},
       "time_ms"},
      {"dense", layers, {"in_features", "out_features"}, {"gpu", "mode", "batch"}, "time_ms"},
      {"sparse_gemm", layers, {"m", "n", "k", "sparsity"}, {"gpu", "mode"}, "time_ms"},
      {"gemm", layers, {"m", "n", "k"}, {"gpu", "mode"}, "time_ms"},
      {"rnn", layers, {"cell", "hidden", "timesteps"}, {"gpu", "mode", "batch"}, "time_ms"},
      {"allreduce", layers, {"size_floats"}, {"gpu", "mode", "n_gpus"}, "time_ms"},
      {"elementwise", layers, {"op", "n_inputs", "rows", "cols"}, {"gpu", "mode"}, "time_ms"},
      {"rowwise", layers, {"op", "rows", "cols"}, {"gpu", "mode"}, "time_ms"},
  };
  return kKinds;
}

const TableKind* find_table_kind(std::string_view name) {
  const auto& kinds = table_kinds();
  const auto found =
      std::find_if(kinds.begin(), kinds.end(), [&](const TableKind& kind) { return kind.name == name; });
  return found == kinds.end() ? nullptr : &*found;
}

const TableKind& recognize_kind(const std::vector<std::string>& columns, RowsOf rows) {
  const TableKind* nearest = nullptr;
  double nearest_share = 0;
  for (const TableKind& kind : table_kinds()) {
    const auto present = std::count_if(kind.signature.begin(), kind.signature.end(),
                                       [&](std::string_view names) { return has(columns, names); });
    const double share = static_cast<double>(present) / static_cast<double>(kind.signature.size());
    if (share > nearest_share) {
      nearest = &kind;
      nearest_share = share;
    }
    if (share == 1) break;
  }
  if (nearest == nullptr) {
    std::string names;
    for (const TableKind& kind : table_kinds()) names.append(names.empty() ? "" : ", ").append(kind.name);
    throw bad_input("the columns fit none of the kinds of measured rows: " + names);
  }
  if (rows == RowsOf::problems && nearest_share == 1) return *nearest;
  const std::string lack = missing(*nearest, columns);
  if (!lack.empty()) {
    throw bad_input("looks like rows of kind '" + std::string(nearest->name) + "' but has no column " + lack);
  }
  return *nearest;
}

std::vector<std::string_view> alternatives(std::string_view names) {
  std::vector<std::string_view> result;
  for (std::size_t begin = 0; begin <= names.size();) {
    const std::size_t end = std::min(names.find('|', begin), names.size());
    result.push_back(names.substr(begin, end - begin));
    begin = end + 1;
  }
  return result;
}

}  // namespace layersim
