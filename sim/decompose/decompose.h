#pragma once
// Graph -> layers: shapes, then rewrite passes in a fixed order, then one lowering rule per node.

#include <string>
#include <vector>

#include "layers/lowering.h"
#include "sim/graph/graph.h"
#include "sim/graph/infer_shapes.h"

namespace layersim {

struct DecomposeOptions {
  ShapeBindings bindings;
  bool training = false;            // warn of batch norms that an export folded into convolutions
  bool assume_batchnorm = false;    // put them back
  std::vector<std::string> freeze;  // globs over names of layers and weights: these are not trained
};

// A network taken apart. Totals count loops by their trip count; where a branch decides, they are a range.
struct Network {
  Graph graph;                // with shapes, after the passes
  std::vector<Layer> layers;  // in the order in which they run
  Warnings warnings;
  double params = 0;         // unique learned numbers
  double frozen_params = 0;  // of these: kept from training by the user
  double weight_bytes = 0;   // of all stored weights, statistics of batch norms included
  double macs_min = 0;       // of a forward pass at the bound batch
  double macs_max = 0;

  // How often the layer runs in one forward pass: the product of the trip counts around it (0 in a dead
  // branch).
  [[nodiscard]] double repeats(const Layer& layer) const;
};

// Throws bad_input naming the node where the network contradicts itself, bad_use for unbound axes.
[[nodiscard]] Network decompose(Graph graph, const DecomposeOptions& options, Warnings warnings = {});

// How many layers have no model, and their operators; empty where all have one. For reports without a line on
// coverage.
[[nodiscard]] std::string unmodelled_warning(const Network& network);

}  // namespace layersim
