#pragma once
// How fast a trainer learns, from the first step to the last.

#include <algorithm>
#include <cmath>

namespace layersim {

// Learning rate at step `step` of `steps`: up to `highest` over 3 % of them, then down a half cosine.
template <typename Count>
[[nodiscard]] double scheduled_learning_rate(double highest, Count step, Count steps) {
  const double done = static_cast<double>(step) / static_cast<double>(steps);
  const double warm_up = static_cast<double>(step) / (0.03 * static_cast<double>(steps) + 1);
  const double cosine = 0.5 * (1 + std::cos(3.14159265358979323846 * done));
  return highest * std::min(1.0, warm_up) * (0.995 * cosine + 0.005);
}

}  // namespace layersim
