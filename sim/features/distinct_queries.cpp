#include "sim/features/distinct_queries.h"

#include <functional>
#include <unordered_map>

namespace layersim {
namespace {

struct QueryHash {
  std::size_t operator()(const LayerQuery* query) const {
    const Problem& problem = *query->problem;
    std::size_t hash = std::hash<const LayerKind*>{}(problem.kind);
    const auto mix = [&hash](std::size_t value) { hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL; };
    for (const std::int64_t size : problem.sizes) mix(static_cast<std::size_t>(size));
    mix(static_cast<std::size_t>(problem.activation));
    mix(static_cast<std::size_t>(query->needs_input_gradient) * 2 +
        static_cast<std::size_t>(query->needs_weight_gradient));
    return hash ^ (hash >> 32);
  }
};

struct SameQuery {
  bool operator()(const LayerQuery* a, const LayerQuery* b) const {
    const Problem& p = *a->problem;
    const Problem& q = *b->problem;
    return p.kind == q.kind && p.sizes == q.sizes && p.dtype == q.dtype && p.weight_dtype == q.weight_dtype &&
           p.activation == q.activation && a->learned_elements == b->learned_elements &&
           a->needs_input_gradient == b->needs_input_gradient &&
           a->needs_weight_gradient == b->needs_weight_gradient;
  }
};

}  // namespace

DistinctQueries distinct_queries(std::span<const LayerQuery> queries) {
  DistinctQueries distinct;
  distinct.place.reserve(queries.size());
  std::unordered_map<const LayerQuery*, std::size_t, QueryHash, SameQuery> known;
  for (const LayerQuery& query : queries) {
    std::size_t place = distinct.queries.size();
    if (query.problem->kind != nullptr) place = known.try_emplace(&query, place).first->second;
    if (place == distinct.queries.size()) distinct.queries.push_back(query);
    distinct.place.push_back(place);
  }
  return distinct;
}

}  // namespace layersim
