#include "sim/report/layer_rows.h"

#include <map>

#include "sim/report/blocks.h"
#include "sim/report/readable_text.h"

namespace layersim {
namespace {

// More layers than this are summarised by block.
constexpr std::size_t kMaxLayerRows = 60;
constexpr std::size_t kMaxBlockRows = 40;

std::string kind_text(const LayerReport& layer) {
  if (layer.kind.empty()) return "? " + layer.op;
  return layer.activation.empty() ? layer.kind : layer.kind + "+" + std::string(layer.activation);
}

LayerRow sum_of(const Block& block, const std::vector<LayerReport>& layers) {
  LayerRow row;
  std::size_t unmodelled = 0;
  std::map<std::string_view, double> ms_by_bound;
  for (const std::size_t i : block.members) {
    const LayerReport& layer = layers[i];
    row.params += layer.params;
    row.macs += layer.macs;
    row.bytes += layer.bytes;
    row.forward_ms += layer.time.forward_ms;
    row.backward_ms += layer.time.backward_ms;
    row.optimizer_ms += layer.time.optimizer_ms;
    row.before_ms += layer.before_ms.value_or(0);
    double& bound_ms = ms_by_bound[layer.bound_by];
    bound_ms += layer.time.total_ms();
    if (bound_ms >= ms_by_bound[row.bound_by]) row.bound_by = layer.bound_by;
    if (layer.kind.empty()) ++unmodelled;
  }
  const LayerReport& last = layers[block.members.back()];
  row.label = block.name;
  row.output = last.output_shape ? to_string(*last.output_shape) : "?";
  if (block.members.size() == 1) {
    row.kind = kind_text(last);
    if (last.repeats == 0) row.label += " (not run)";
    if (last.repeats > 1) row.label += " x" + with_thousands(last.repeats);
  } else {
    row.kind = with_thousands(static_cast<double>(block.members.size())) + " layers";
    if (unmodelled > 0) row.kind += ", " + with_thousands(static_cast<double>(unmodelled)) + " ?";
  }
  return row;
}

}  // namespace

std::vector<LayerRow> layer_rows(const Report& report, bool all_layers) {
  const std::vector<LayerReport>& layers = report.layers;
  std::vector<Block> blocks;
  if (all_layers || layers.size() <= kMaxLayerRows) {
    for (std::size_t i = 0; i < layers.size(); ++i) blocks.push_back({layers[i].name, {i}});
  } else {
    std::vector<std::string_view> names;
    names.reserve(layers.size());
    for (const LayerReport& layer : layers) names.emplace_back(layer.name);
    blocks = group_into_blocks(names, kMaxBlockRows);
  }
  std::vector<LayerRow> rows;
  rows.reserve(blocks.size());
  for (const Block& block : blocks) rows.push_back(sum_of(block, layers));
  return rows;
}

}  // namespace layersim
