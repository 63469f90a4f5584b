#pragma once
// A linear regression without negative factors that minimises relative errors.

#include <cstddef>
#include <span>
#include <vector>

namespace layersim {

struct NonnegativeFit {
  std::size_t columns = 0;
  std::vector<double> inputs;  // rows x columns, at least 0
  std::vector<double> values;  // above 0, or any where there are scales
  std::vector<double> scales;  // above 0: what errors are relative to; none: the values
  std::vector<double> prior;   // factor of each column where its rows do not tell
  double prior_weight = 0;     // of the priors together, as a share of all rows

  // Minimises the sum of |prediction - value| / scale (least squares whose weights follow from the errors,
  // six times) and the distance of each factor from its prior times how much its column contributes.
  [[nodiscard]] std::vector<double> solve() const;
};

}  // namespace layersim
