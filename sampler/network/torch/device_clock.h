#pragma once
// A clock that waits for the device, whose work runs behind the host's on a GPU.

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <torch/cuda.h>

#include <chrono>

namespace layersim {

class DeviceClock {
 public:
  explicit DeviceClock(at::Device device) : device_(device), start_(now()) {}

  // Milliseconds since the last lap, or the start.
  double lap_ms() {
    const auto end = now();
    const double ms = std::chrono::duration<double, std::milli>(end - start_).count();
    start_ = end;
    return ms;
  }

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] Clock::time_point now() const {
    if (device_.is_cuda()) torch::cuda::synchronize(device_.index());
    return Clock::now();
  }

  at::Device device_;
  Clock::time_point start_;
};

}  // namespace layersim
