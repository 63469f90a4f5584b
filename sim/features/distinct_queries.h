#pragma once
// Networks repeat themselves: a hundred blocks of the same layers ask the same questions. A predictor is
// asked each once.

#include <span>
#include <vector>

#include "sim/features/layer_query.h"

namespace layersim {

struct DistinctQueries {
  std::vector<LayerQuery> queries;
  std::vector<std::size_t> place;  // for each of the given queries: where in `queries` its equal stands
};

// Queries are equal when problem, learned elements and gradients are, since the work follows from the
// problem; one for an operator without a model is equal to none.
[[nodiscard]] DistinctQueries distinct_queries(std::span<const LayerQuery> queries);

}  // namespace layersim
