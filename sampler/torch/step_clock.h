#pragma once
// Marks moments in the order in which the device does its work.

#include <c10/core/Device.h>

#include <memory>

namespace layersim::torch_sampler {

class StepClock {
 public:
  virtual ~StepClock() = default;
  // Forgets all marks; the device has no work left when it returns.
  virtual void start() = 0;
  virtual void mark() = 0;
  // Waits until the device has passed the last mark.
  virtual void wait() = 0;
  [[nodiscard]] virtual double ms_between(std::size_t first, std::size_t second) const = 0;
};

[[nodiscard]] std::unique_ptr<StepClock> make_cpu_clock();
// Of the present stream of the device, by its events. cuda_device.cpp, built where libtorch has CUDA.
[[nodiscard]] std::unique_ptr<StepClock> make_cuda_clock();

}  // namespace layersim::torch_sampler
