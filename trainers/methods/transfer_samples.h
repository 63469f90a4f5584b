#pragma once
// Profiles of the same workloads on several devices, as pairs to learn from.

#include <map>
#include <string>
#include <vector>

#include "sim/methods/transfer/transfer_model.h"

namespace layersim {

// A network at an image size and a batch size, on an anchor device and with its time on the target.
struct TransferSample {
  std::string network;
  TransferInput input;
  double time_ms = 0;
};

class TransferSet {
 public:
  // Rows without a time of the step are left out. Throws bad_input, naming the file, for a profile that
  // cannot be one of a set: no device, no network.
  void add(const std::string& file, const std::vector<OperationProfile>& profiles);

  [[nodiscard]] std::vector<std::string> gpus() const;
  [[nodiscard]] std::vector<std::string> networks() const;
  // To learn from: one for each workload, the mean of its repeated profiles and the median of its times.
  [[nodiscard]] std::vector<TransferSample> workloads(const std::string& anchor,
                                                      const std::string& target) const;
  // To test on: each profile of the anchor, with the time of the same repetition on the target.
  [[nodiscard]] std::vector<TransferSample> repetitions(const std::string& anchor,
                                                        const std::string& target) const;

  // Times by batch size or image size, for size_scaling.h: the median of the repetitions.
  struct TimedWorkload {
    std::string gpu;
    std::string network;
    std::int64_t batch = 0;
    std::int64_t pixel = 0;
    double time_ms = 0;
  };
  [[nodiscard]] std::vector<TimedWorkload> times() const;

 private:
  struct Key {
    std::string network;
    std::int64_t pixel = 0;
    std::int64_t batch = 0;
    auto operator<=>(const Key&) const = default;
  };
  using Workloads = std::map<Key, std::vector<TransferInput>>;
  [[nodiscard]] const Workloads& of(const std::string& gpu) const;

  std::map<std::string, Workloads> by_gpu_;
};

}  // namespace layersim
