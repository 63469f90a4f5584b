// One line a layer, for spreadsheets and data frames. Names in the header carry their unit, as in all our
// tables.

#include "sim/core/csv_text.h"
#include "sim/report/fused_row.h"
#include "sim/report/report.h"

namespace layersim {
namespace {

std::string parameter_text(const LayerReport& layer) {
  std::string text;
  for (const auto& [name, size] : layer.parameters) {
    if (!text.empty()) text += ' ';
    text += std::string(name) + '=' + std::to_string(size);
  }
  if (!layer.activation.empty()) text += " activation=" + std::string(layer.activation);
  return text;
}

// `fused_into`: index of the row that its time is within; nothing for most.
void add_row(std::string& text, const LayerReport& layer, std::size_t index,
             std::optional<std::size_t> fused_into, bool timed) {
  CsvLine line(text);
  line.add(static_cast<double>(index));
  line.add(layer.name);
  line.add(layer.kind);
  line.add(layer.op);
  line.add(layer.output_shape ? to_string(*layer.output_shape) : "");
  for (const double number :
       {layer.params, layer.weight_bytes, layer.repeats, layer.macs, layer.flop, layer.bytes}) {
    line.add(number);
  }
  line.add(parameter_text(layer));
  line.add(layer.unmodelled_reason);
  line.add(fused_into ? std::to_string(*fused_into) : "");
  if (!timed) return;
  line.add(layer.time.forward_ms);
  line.add(layer.time.backward_ms);
  line.add(layer.time.optimizer_ms);
  if (layer.time.interval_ms) {
    line.add(layer.time.interval_ms->low);
    line.add(layer.time.interval_ms->high);
  } else {
    line.add("");
    line.add("");
  }
  line.add(layer.time.inside_trained_range ? "1" : "0");
  line.add(name(layer.time.basis));
  line.add(layer.bound_by);
}

}  // namespace

std::string to_csv(const Report& report) {
  const bool timed = report.run.has_value();
  std::string text =
      "index,name,kind,op,output_shape,params,weight_bytes,repeats,macs,flop,bytes,parameters,unmodelled_"
      "reason,fused_into";
  if (timed)
    text += ",forward_ms,backward_ms,optimizer_ms,low_ms,high_ms,inside_trained_range,basis,bound_by";
  text += '\n';
  std::size_t index = 0;
  for (const LayerReport& layer : report.layers) {
    add_row(text, layer, index++, std::nullopt, timed);
    if (layer.fused) {
      add_row(text, fused_row(layer), index, index - 1, timed);
      ++index;
    }
  }
  return text;
}

}  // namespace layersim
