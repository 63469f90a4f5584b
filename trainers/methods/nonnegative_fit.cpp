#include "trainers/methods/nonnegative_fit.h"

#include <algorithm>
#include <cmath>

namespace layersim {
namespace {

constexpr int kReweightings = 6;
constexpr int kSweeps = 400;
constexpr double kLeastError = 0.03;  // errors below it count as it
constexpr double kLeastPart = 0.02;   // of the value: what a column counts at least against its prior
constexpr double kLeastSeen = 1e-6;   // a column below it is absent: its factor is the prior

// Least squares with weights, of factors >= 0: coordinate descent on the normal equations.
void descend(const std::vector<double>& squares, const std::vector<double>& products,
             std::vector<double>& factors) {
  const std::size_t n = factors.size();
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (std::size_t j = 0; j < n; ++j) {
      double rest = products[j];
      for (std::size_t k = 0; k < n; ++k) rest -= k == j ? 0 : squares[j * n + k] * factors[k];
      factors[j] = std::max(0.0, rest / squares[j * n + j]);
    }
  }
}

}  // namespace

std::vector<double> NonnegativeFit::solve() const {
  const std::size_t rows = values.size();
  const std::vector<double>& relative_to = scales.empty() ? values : scales;
  // The columns and the value as parts of the scale.
  std::vector<double> wanted(rows);
  std::vector<double> parts(inputs.size());
  std::vector<double> size(columns, 0);
  for (std::size_t i = 0; i < rows; ++i) {
    wanted[i] = values[i] / relative_to[i];
    for (std::size_t j = 0; j < columns; ++j) {
      parts[i * columns + j] = inputs[i * columns + j] / relative_to[i];
      size[j] += parts[i * columns + j] * parts[i * columns + j] / static_cast<double>(rows);
    }
  }
  std::vector<double> factors(prior);
  std::vector<double> weights(rows, 1);
  for (int round = 0; round < kReweightings; ++round) {
    std::vector<double> squares(columns * columns, 0);
    std::vector<double> products(columns, 0);
    double weight_sum = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      const double* row = parts.data() + i * columns;
      weight_sum += weights[i];
      for (std::size_t j = 0; j < columns; ++j) {
        products[j] += weights[i] * row[j] * wanted[i];
        for (std::size_t k = 0; k < columns; ++k) squares[j * columns + k] += weights[i] * row[j] * row[k];
      }
    }
    for (std::size_t j = 0; j < columns; ++j) {
      const double part = std::max(std::sqrt(size[j]), kLeastPart);
      // An absent column is held by its prior alone.
      const double hold = prior_weight * weight_sum * part * part;
      squares[j * columns + j] += hold;
      products[j] += hold * prior[j];
      if (std::sqrt(size[j]) > kLeastSeen) continue;
      for (std::size_t k = 0; k < columns; ++k)
        squares[j * columns + k] = squares[k * columns + j] = k == j ? 1 : 0;
      products[j] = prior[j];
    }
    descend(squares, products, factors);
    for (std::size_t i = 0; i < rows; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < columns; ++j) sum += factors[j] * parts[i * columns + j];
      weights[i] = 1 / std::max(std::abs(sum - wanted[i]), kLeastError);
    }
  }
  return factors;
}

}  // namespace layersim
