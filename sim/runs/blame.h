#pragma once
// Which layers explain the difference between a predicted and a measured run, where the times of its layers
// were measured too.

#include <string>
#include <vector>

#include "sim/decompose/decompose.h"
#include "sim/predictors/predictor.h"

namespace layersim {

// One measured layer. Times are those of a batch.
struct BlamedLayer {
  std::size_t index = 0;  // as `layersim show --json` counts
  std::string name;
  std::string kind;  // empty: an operator without a model
  double measured_ms = 0;
  double predicted_ms = 0;
  double share = 0;  // of the sum of all differences, without their signs

  [[nodiscard]] double difference_ms() const { return predicted_ms - measured_ms; }
};

struct Blame {
  std::vector<BlamedLayer> layers;     // measured ones, the largest difference first
  std::vector<std::string> unmatched;  // measured, but no layer has the name
  double unmatched_ms = 0;
};

// Reads a CSV with a column `layer` (name) or `index` (from 0), both as `layersim show --json` lists them,
// and a column `measured_ms` or `forward_ms` and `backward_ms`. Rows of the same layer, its fused activation
// included, add up. `times` are parallel to the layers. Throws bad_input naming file, line and column.
[[nodiscard]] Blame blame_layers(const std::string& file, const Network& network,
                                 const std::vector<LayerPrediction>& times);

}  // namespace layersim
