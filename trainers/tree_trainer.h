#pragma once
// Rows of features -> regression trees (forest.h).

#include <cstdint>
#include <span>

#include "sim/methods/common/forest.h"
#include "sim/methods/common/matrix.h"

namespace layersim {

struct TreeOptions {
  int rounds = 1;  // of boosting; a random forest has one
  int trees_a_round = 60;
  double learning_rate = 1;  // of a round; a random forest has 1
  int depth = 7;
  double least_rows = 2;       // in a leaf
  double row_share = 0.632;    // that a tree sees
  double feature_share = 0.5;  // that a split (random forest) or a tree (boosting) may choose from
  double leaf_penalty = 0;     // square of the values of leaves
  std::uint64_t seed = 0;
};

class TreeTrainer {
 public:
  virtual ~TreeTrainer() = default;
  TreeTrainer(const TreeTrainer&) = delete;
  TreeTrainer& operator=(const TreeTrainer&) = delete;

  // Least squares.
  [[nodiscard]] virtual Forest train(const Matrix& features, std::span<const float> values,
                                     const TreeOptions& options) const = 0;

 protected:
  TreeTrainer() = default;
};

// What the module with XGBoost exports.
extern "C" __attribute__((visibility("default"))) const TreeTrainer* layersim_xgboost_tree_trainer();

}  // namespace layersim
