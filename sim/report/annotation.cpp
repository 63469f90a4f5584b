#include "sim/report/annotation.h"

#include "sim/report/facts.h"
#include "sim/report/readable_text.h"

namespace layersim {
namespace {

// The layers of one node.
struct NodeTimes {
  std::string kinds;
  double forward_ms = 0;
  double backward_ms = 0;
  double optimizer_ms = 0;
  bool is_known = false;
};

void add(NodeTimes& node, const LayerReport& layer) {
  if (!node.kinds.empty()) node.kinds += ", ";
  node.kinds += layer.kind.empty() ? "no model of " + layer.op : layer.kind;
  if (!layer.activation.empty()) node.kinds += "+" + std::string(layer.activation);
  node.forward_ms += layer.time.forward_ms;
  node.backward_ms += layer.time.backward_ms;
  node.optimizer_ms += layer.time.optimizer_ms;
  node.is_known = node.is_known || layer.time.basis != Basis::none;
}

std::string text_of(const NodeTimes& node, const RunReport& run) {
  std::string text = "layersim (" + run.gpu + "): " + node.kinds;
  if (!node.is_known) return text + ", time not known";
  const double total_ms = node.forward_ms + node.backward_ms + node.optimizer_ms;
  text += ", " + short_number(total_ms) + " ms";
  if (run.mode == Mode::training) {
    text += " = forward " + short_number(node.forward_ms) + " + backward " + short_number(node.backward_ms) +
            " + update " + short_number(node.optimizer_ms);
  }
  return text + ", " + percent(run.batch_ms > 0 ? total_ms / run.batch_ms : 0) + " of the batch";
}

}  // namespace

std::vector<NodeNote> node_notes(const Report& report) {
  std::vector<NodeNote> notes;
  NodeTimes node;
  std::string first_name;
  for (const LayerReport& layer : report.layers) {
    if (node.kinds.empty()) first_name = layer.name;
    add(node, layer);
    if (layer.output.empty()) continue;  // the node goes on with the next layer
    notes.push_back({first_name, layer.output, text_of(node, *report.run)});
    node = {};
  }
  return notes;
}

std::string graph_note(const Report& report) {
  const RunReport& run = *report.run;
  std::string text =
      "layersim: " + run_text(run, report.network.batch) + ": " + short_number(run.batch_ms) + " ms";
  if (run.batch_interval_ms) {
    text += " (90 % between " + short_number(run.batch_interval_ms->low) + " and " +
            short_number(run.batch_interval_ms->high) + ")";
  }
  return text + ", of it " + short_number(run.overhead_ms) + " ms in no layer; " +
         with_thousands(run.memory.total_mib()) + " MiB of memory. " + coverage_text(report);
}

}  // namespace layersim
