#pragma once
// Regression trees, as the trainer leaves them: their sum (boosted) or mean (random forest; the leaves then
// hold the share of their tree).

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/store/array_file.h"

namespace layersim {

struct ForestNode {
  std::int32_t feature = -1;  // -1: a leaf
  float threshold = 0;        // of a leaf its value; else rows with a feature below it go left
  std::int32_t left = 0;      // indices of the children, above the own
  std::int32_t right = 0;
};

struct Forest {
  float base = 0;  // added to the sum of the trees
  std::vector<ForestNode> nodes;
  std::vector<std::int32_t> roots;

  [[nodiscard]] double predict(std::span<const float> features) const;
  // Whether any tree asks for it.
  [[nodiscard]] bool reads(std::int32_t feature) const;
};

// Multiplies what it answers.
void scale(Forest& forest, double factor);

// Into and from arrays of a group, whose names begin with `name`. Reading throws bad_input for a forest that
// reads a feature of `features` or more, or whose nodes do not form trees.
void store_forest(ArrayGroup& group, const std::string& name, const Forest& forest);
[[nodiscard]] Forest load_forest(const ArrayGroup& group, const std::string& name, std::size_t features);

}  // namespace layersim
