// One line a layer, for spreadsheets and data frames. Names in the header carry their unit, as in all our
// tables.

#include "sim/core/csv_text.h"
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

}  // namespace

std::string to_csv(const Report& report) {
  std::string text =
      "index,name,kind,op,output_shape,params,weight_bytes,repeats,macs,flop,bytes,parameters,unmodelled_"
      "reason";
  if (report.run) text += ",forward_ms,backward_ms,optimizer_ms,low_ms,high_ms,inside_trained_range,basis";
  text += '\n';
  for (std::size_t i = 0; i < report.layers.size(); ++i) {
    const LayerReport& layer = report.layers[i];
    CsvLine line(text);
    line.add(static_cast<double>(i));
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
    if (!report.run) continue;
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
  }
  return text;
}

}  // namespace layersim
