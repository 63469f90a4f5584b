#pragma once
// Shared by the families: how one is declared, and its terms.

#include <span>
#include <vector>

#include "sim/features/device_numbers.h"
#include "sim/features/feature_family.h"
#include "sim/features/feature_sink.h"

namespace layersim {

// A family from its write_features(sink, query, device, log_terms_ms), which spells names to a NameSink and
// values to a ValueSink. `kind`: a layer kind that it can be asked about, for the names. `Write`: a lambda
// without captures.
template <typename Write>
[[nodiscard]] FeatureFamily make_family(std::string_view name, std::string_view kind,
                                        std::span<const std::string_view> terms,
                                        bool (*covers)(const Problem& problem), Write write) {
  static const NameSink kNames = [&] {
    Problem problem;
    problem.kind = find_layer_kind(kind);
    problem.sizes.assign(problem.kind->parameters.size(), 1);
    const LayerWork work = problem.kind->work(problem);
    static const Device kDevice;
    Conditions conditions;
    conditions.device = &kDevice;
    std::vector<float> log_terms(terms.size());
    NameSink sink;
    write(sink, FeatureQuery{.layer = {.problem = &problem, .work = &work}}, DeviceNumbers(conditions),
          log_terms.data());
    return sink;
  }();
  return {.name = name,
          .features = kNames.specs(),
          .terms = terms,
          .covers = covers,
          .fill = [](const FeatureQuery& query, const DeviceNumbers& device, float* features,
                     float* log_terms_ms) {
            ValueSink sink(features);
            Write{}(sink, query, device, log_terms_ms);
          }};
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

// Which pass a row is of, where a family's terms are those of all passes.
template <typename Sink>
void write_pass(Sink& sink, Pass pass) {
  sink.add("is_training", "flag", flag(pass == Pass::training));
  sink.add("is_backward", "flag", flag(pass == Pass::backward));
}

// In ms: the optimizer reads and writes a weight's numbers in fp32.
inline double update_ms(const FeatureQuery& query, const DeviceNumbers& device) {
  if (query.pass != Pass::training) return 0;
  return query.layer.learned_elements * (device.optimizer.reads + device.optimizer.writes) * 4 /
         device.bytes_per_ms;
}

}  // namespace layersim
