#include "sim/predictors/small_batch.h"

#include <algorithm>
#include <cmath>

namespace layersim {
namespace {

constexpr std::int64_t kFewestImages = 16;

struct LargerPart {
  std::size_t place = 0;  // of the part that it limits
  StepPart part;
};

std::size_t place_of_batch(const LayerKind& conv) {
  const auto found = std::find_if(conv.parameters.begin(), conv.parameters.end(),
                                  [](const Parameter& parameter) { return parameter.name == "batch"; });
  return static_cast<std::size_t>(found - conv.parameters.begin());
}

// Appends the part with twice the images, if it has few.
void append_doubled(std::size_t place, const StepPart& part, std::vector<LargerPart>& larger) {
  static const LayerKind* const kConv = find_layer_kind("conv");
  static const std::size_t kBatch = place_of_batch(*kConv);
  if (part.problem.kind != kConv || part.problem.sizes[kBatch] >= kFewestImages) return;
  Problem& problem = larger.emplace_back(LargerPart{place, part}).part.problem;
  problem.sizes[kBatch] *= 2;
  larger.back().part.work = kConv->work(problem);
}

}  // namespace

void limit_by_larger_batches(const TrainedNetwork& conv, std::span<const StepPart> parts,
                             std::span<const std::size_t> convolutions, std::span<const LayerQuery> queries,
                             const Conditions& conditions, std::span<double> times_ms) {
  std::vector<LargerPart> larger;
  for (std::size_t i = 0; i < convolutions.size(); ++i) append_doubled(i, parts[convolutions[i]], larger);
  while (!larger.empty()) {
    std::vector<FeatureQuery> part_queries;
    part_queries.reserve(larger.size());
    for (const LargerPart& of_more : larger)
      part_queries.push_back(of_more.part.query(queries[of_more.part.layer]));
    std::vector<TimeEstimate> estimates(larger.size());
    evaluate(conv, part_queries, conditions, estimates);
    for (std::size_t i = 0; i < larger.size(); ++i) {
      double& ms = times_ms[larger[i].place];
      ms = std::min(ms, std::exp(static_cast<double>(estimates[i].log_work_ms)));
    }
    std::vector<LargerPart> next;
    for (const LargerPart& of_more : larger) append_doubled(of_more.place, of_more.part, next);
    larger = std::move(next);
  }
}

}  // namespace layersim
