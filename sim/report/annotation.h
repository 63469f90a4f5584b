#pragma once
// The prediction as texts on the nodes of the network's file.

#include <string>
#include <vector>

#include "sim/import/onnx_annotate.h"
#include "sim/report/report.h"

namespace layersim {

// One note for each node that layers stand for: their times and share of the batch.
[[nodiscard]] std::vector<NodeNote> node_notes(const Report& report);
// What was predicted for which device, for the graph as a whole.
[[nodiscard]] std::string graph_note(const Report& report);

}  // namespace layersim
