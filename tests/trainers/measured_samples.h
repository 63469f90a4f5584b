#pragma once
// Samples with times that follow a law.

#include <cmath>
#include <cstdint>
#include <random>
#include <string>

#include "hwdb/device_db.h"
#include "trainers/dataset.h"

namespace layersim::tests {

inline std::int32_t add_device(SampleSet& set, const std::string& key) {
  set.devices.push_back(DeviceDb().find(key));
  return static_cast<std::int32_t>(set.devices.size() - 1);
}

inline std::int32_t add_stack(SampleSet& set, const std::string& stack) {
  set.stacks.push_back(stack);
  return static_cast<std::int32_t>(set.stacks.size() - 1);
}

// A sample of the kind; its time is to be set.
inline Sample& add_sample(SampleSet& set, const Problem& problem, std::int32_t device, std::int32_t stack) {
  Sample sample;
  sample.problem = problem;
  sample.work = problem.kind->work(problem);
  sample.family = find_feature_family(problem);
  sample.device = device;
  sample.stack = stack;
  sample.configuration = std::hash<std::int64_t>{}(0);
  for (const std::int64_t size : problem.sizes) {
    sample.configuration = sample.configuration * 1000003 + static_cast<std::uint64_t>(size);
  }
  set.samples.push_back(sample);
  return set.samples.back();
}

// Softmax on two devices: a launch, memory traffic at 70 % of the bandwidth, a fifth more for odd rows.
inline SampleSet softmax_samples(std::size_t count) {
  SampleSet set;
  const std::int32_t devices[] = {add_device(set, "k80"), add_device(set, "v100-sxm2")};
  const std::int32_t stack = add_stack(set, "pytorch2.1");
  std::mt19937 random(5);
  std::uniform_real_distribution<double> log_size(0, std::log(4096.0));
  const LayerKind& softmax = *find_layer_kind("softmax");
  for (std::size_t i = 0; i < count; ++i) {
    const auto rows = static_cast<std::int64_t>(std::exp(log_size(random)));
    const auto cols = static_cast<std::int64_t>(std::exp(log_size(random)));
    const Problem problem = make_problem(softmax, DType::f32, {{"rows", rows}, {"cols", cols}});
    Sample& sample = add_sample(set, problem, devices[i % 2], stack);
    const double bandwidth = set.devices[i % 2].memory_bandwidth_gb_s * 1e6;
    sample.time_ms = 0.02 + sample.work.forward.bytes() / bandwidth / 0.7 * (cols % 2 == 1 ? 1.2 : 1.0);
  }
  return set;
}

}  // namespace layersim::tests
