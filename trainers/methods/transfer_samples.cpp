#include "trainers/methods/transfer_samples.h"

#include <algorithm>
#include <set>

#include "sim/core/error.h"

namespace layersim {
namespace {

double median_step_ms(const std::vector<TransferInput>& repetitions) {
  std::vector<double> times;
  for (const TransferInput& input : repetitions) times.push_back(input.step_ms);
  std::sort(times.begin(), times.end());
  const std::size_t middle = times.size() / 2;
  return times.size() % 2 == 1 ? times[middle] : (times[middle - 1] + times[middle]) / 2;
}

TransferInput mean_of(const std::vector<TransferInput>& repetitions) {
  TransferInput mean = repetitions.front();
  const auto count = static_cast<double>(repetitions.size());
  for (std::size_t i = 1; i < repetitions.size(); ++i) {
    const TransferInput& input = repetitions[i];
    mean.step_ms += input.step_ms;
    for (std::size_t k = 0; k < mean.linear.size(); ++k) mean.linear[k] += input.linear[k];
    for (std::size_t k = 0; k < mean.shape.size(); ++k) mean.shape[k] += input.shape[k];
  }
  mean.step_ms /= count;
  for (double& value : mean.linear) value /= count;
  for (float& value : mean.shape) value /= static_cast<float>(count);
  return mean;
}

}  // namespace

void TransferSet::add(const std::string& file, const std::vector<OperationProfile>& profiles) {
  with_context(file, [&] {
    for (const OperationProfile& profile : profiles) {
      if (profile.gpu.empty() || profile.network.empty())
        throw bad_input((profile.line > 0 ? "line " + std::to_string(profile.line) + ": tells" : "tells") +
                        std::string(" no ") + (profile.gpu.empty() ? "'gpu'" : "'network'"));
      if (!profile.step_ms) continue;
      with_context("line " + std::to_string(profile.line), [&] {
        by_gpu_[profile.gpu][{profile.network, profile.pixel, profile.batch}].push_back(
            transfer_input(profile));
      });
    }
  });
}

std::vector<std::string> TransferSet::gpus() const {
  std::vector<std::string> keys;
  for (const auto& entry : by_gpu_) keys.push_back(entry.first);
  return keys;
}

std::vector<std::string> TransferSet::networks() const {
  std::set<std::string> names;
  for (const auto& gpu : by_gpu_) {
    for (const auto& workload : gpu.second) names.insert(workload.first.network);
  }
  return {names.begin(), names.end()};
}

const TransferSet::Workloads& TransferSet::of(const std::string& gpu) const {
  const auto found = by_gpu_.find(gpu);
  if (found == by_gpu_.end()) throw bad_use("no rows of '" + gpu + "'");
  return found->second;
}

std::vector<TransferSample> TransferSet::workloads(const std::string& anchor,
                                                   const std::string& target) const {
  std::vector<TransferSample> samples;
  const Workloads& targets = of(target);
  for (const auto& [key, inputs] : of(anchor)) {
    const auto found = targets.find(key);
    if (found == targets.end()) continue;
    samples.push_back({key.network, mean_of(inputs), median_step_ms(found->second)});
  }
  return samples;
}

std::vector<TransferSample> TransferSet::repetitions(const std::string& anchor,
                                                     const std::string& target) const {
  std::vector<TransferSample> samples;
  const Workloads& targets = of(target);
  for (const auto& [key, inputs] : of(anchor)) {
    const auto found = targets.find(key);
    if (found == targets.end()) continue;
    const auto& measured = found->second;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const double time_ms = i < measured.size() ? measured[i].step_ms : median_step_ms(measured);
      samples.push_back({key.network, inputs[i], time_ms});
    }
  }
  return samples;
}

std::vector<TransferSet::TimedWorkload> TransferSet::times() const {
  std::vector<TimedWorkload> list;
  for (const auto& [gpu, workloads] : by_gpu_) {
    for (const auto& [key, inputs] : workloads)
      list.push_back({gpu, key.network, key.batch, key.pixel, median_step_ms(inputs)});
  }
  return list;
}

}  // namespace layersim
