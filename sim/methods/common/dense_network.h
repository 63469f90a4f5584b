#pragma once
// Fully connected layers with ReLU between them and one output, over normalised features; several of them
// count with their mean.

#include <span>
#include <string>
#include <vector>

#include "sim/predictors/trained_network.h"
#include "sim/store/array_file.h"

namespace layersim {

// x' = clamp((x - mean) / scale, -3, 3)
struct Normalisation {
  std::vector<float> mean;
  std::vector<float> scale;  // above 0

  [[nodiscard]] std::vector<float> apply(std::span<const float> features) const;
};

struct DenseNetwork {
  std::vector<Mlp> members;

  // Of normalised features.
  [[nodiscard]] double predict(std::span<const float> inputs) const;
};

// Into and from arrays of a group, whose names begin with `name`. Reading throws bad_input when sizes do not
// fit.
void store_dense_network(ArrayGroup& group, const std::string& name, const DenseNetwork& network);
[[nodiscard]] DenseNetwork load_dense_network(const ArrayGroup& group, const std::string& name,
                                              std::size_t inputs);

}  // namespace layersim
