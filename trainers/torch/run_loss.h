#pragma once
// How far off predictions of a batch of runs are.

#include <torch/torch.h>

namespace layersim {

inline torch::Tensor huber(const torch::Tensor& residual, double delta) {
  const torch::Tensor size = residual.abs();
  return torch::where(size < delta, residual * residual * (0.5 / delta), size - 0.5 * delta);
}

// How far off runs with measured operations are in how their times divide among these; runs x classes. What
// is below a hundredth of a run does not count.
inline torch::Tensor division_loss(const torch::Tensor& predicted_ms, const torch::Tensor& measured_ms,
                                   double delta) {
  constexpr double kLeastShare = 0.01;
  constexpr double kTinyMs = 1e-12;
  const auto share = [](const torch::Tensor& ms) { return ms / (ms.sum(1, true) + kTinyMs); };
  const torch::Tensor counts = (share(measured_ms) > kLeastShare) & (predicted_ms > 0);
  const auto log_share = [&](const torch::Tensor& ms) { return torch::log(share(ms * counts) + kTinyMs); };
  const torch::Tensor residual = (log_share(predicted_ms) - log_share(measured_ms)) * counts;
  return huber(residual, delta).sum();
}

}  // namespace layersim
