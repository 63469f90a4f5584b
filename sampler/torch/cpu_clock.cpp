#include <chrono>
#include <vector>

#include "sampler/torch/step_clock.h"

namespace layersim::torch_sampler {
namespace {

class CpuClock : public StepClock {
 public:
  void start() override { marks_.clear(); }
  void mark() override { marks_.push_back(std::chrono::steady_clock::now()); }
  void wait() override {}
  [[nodiscard]] double ms_between(std::size_t first, std::size_t second) const override {
    return std::chrono::duration<double, std::milli>(marks_.at(second) - marks_.at(first)).count();
  }

 private:
  std::vector<std::chrono::steady_clock::time_point> marks_;
};

}  // namespace

std::unique_ptr<StepClock> make_cpu_clock() { return std::make_unique<CpuClock>(); }

}  // namespace layersim::torch_sampler
