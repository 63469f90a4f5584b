#include "trainers/sample_prediction.h"

#include <map>
#include <tuple>

namespace layersim {

std::vector<TimeEstimate> predict_samples(const TrainedNetwork& network, const SampleSet& set,
                                          std::span<const std::size_t> samples) {
  // The engine takes queries that share their conditions.
  std::map<std::tuple<std::int32_t, std::int32_t, Precision, Optimizer, bool>, std::vector<std::size_t>>
      groups;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Sample& sample = set.samples[samples[i]];
    groups[{sample.device, sample.stack, sample.precision, sample.optimizer, sample.pass == Pass::forward}]
        .push_back(i);
  }
  std::vector<TimeEstimate> estimates(samples.size());
  for (const auto& [key, members] : groups) {
    std::vector<FeatureQuery> queries;
    queries.reserve(members.size());
    for (const std::size_t i : members) queries.push_back(set.query(set.samples[samples[i]]));
    std::vector<TimeEstimate> answers(queries.size());
    evaluate(network, queries, set.conditions(set.samples[samples[members.front()]]), answers);
    for (std::size_t i = 0; i < members.size(); ++i) estimates[members[i]] = answers[i];
  }
  return estimates;
}

}  // namespace layersim
