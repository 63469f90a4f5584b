#include "sim/report/fused_row.h"

namespace layersim {

LayerReport fused_row(const LayerReport& layer) {
  LayerReport row;
  row.name = layer.fused.value().name;
  row.op = layer.fused.value().op;
  row.kind = "activation";
  row.unmodelled_reason = layer.unmodelled_reason;
  row.output_shape = layer.output_shape;
  row.repeats = layer.repeats;
  if (layer.time.interval_ms) row.time.interval_ms = Interval{};
  row.time.inside_trained_range = layer.time.inside_trained_range;
  row.time.basis = layer.time.basis;
  return row;
}

}  // namespace layersim
