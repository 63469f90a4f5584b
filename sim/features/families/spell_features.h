#pragma once
// Shared by the families: the names of the features that a family's write_features() spells, and its terms.

#include <span>
#include <vector>

#include "sim/features/device_numbers.h"
#include "sim/features/feature_family.h"
#include "sim/features/feature_sink.h"

namespace layersim {

// The names that a family's write_features() spells, for a problem of its kind with all sizes 1.
template <typename Write>
[[nodiscard]] const std::vector<FeatureSpec>& spell_features(std::string_view kind, std::size_t terms,
                                                             Write&& write) {
  static const NameSink kNames = [&] {
    Problem problem;
    problem.kind = find_layer_kind(kind);
    problem.sizes.assign(problem.kind->parameters.size(), 1);
    const LayerWork work = problem.kind->work(problem);
    static const Device kDevice;
    Conditions conditions;
    conditions.device = &kDevice;
    std::vector<float> log_terms(terms);
    NameSink sink;
    write(sink, FeatureQuery{.layer = {.problem = &problem, .work = &work}}, DeviceNumbers(conditions),
          log_terms.data());
    return sink;
  }();
  return kNames.specs();
}

// Logarithms of the physical terms, kNoTerm for those that are 0; returns their sum.
inline double write_log_terms(std::span<const double> terms_ms, float* log_terms_ms) {
  double sum_ms = 0;
  for (const double term_ms : terms_ms) {
    sum_ms += term_ms;
    *log_terms_ms++ = term_ms > 0 ? safe_log(term_ms) : kNoTerm;
  }
  return sum_ms;
}

}  // namespace layersim
