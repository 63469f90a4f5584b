#pragma once
// Layers as lines to show: each layer, or of a long network sums over blocks of layers.

#include <string>
#include <vector>

#include "sim/report/report.h"

namespace layersim {

// Names are as in the file: whoever prints them makes them harmless first.
struct LayerRow {
  std::string label;
  std::string kind;    // "conv+relu"; of a block "12 layers"
  std::string output;  // shape; of a block that of its last layer
  double params = 0;
  double macs = 0;
  double bytes = 0;
  double forward_ms = 0;
  double backward_ms = 0;
  double optimizer_ms = 0;
  double before_ms = 0;  // of a report for a hypothetical device
  std::string bound_by;  // most of its time: "memory"

  [[nodiscard]] double total_ms() const { return forward_ms + backward_ms + optimizer_ms; }
};

[[nodiscard]] std::vector<LayerRow> layer_rows(const Report& report, bool all_layers);

}  // namespace layersim
