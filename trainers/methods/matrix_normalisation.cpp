#include "trainers/methods/matrix_normalisation.h"

#include <cmath>

namespace layersim {

Normalisation normalisation_of(const Matrix& features) {
  Normalisation normalisation;
  const auto rows = static_cast<double>(features.rows());
  for (std::size_t j = 0; j < features.columns; ++j) {
    double sum = 0;
    double squares = 0;
    for (std::size_t i = 0; i < features.rows(); ++i) {
      const auto value = static_cast<double>(features.row(i)[j]);
      sum += value;
      squares += value * value;
    }
    const double variance = squares / rows - sum / rows * (sum / rows);
    normalisation.mean.push_back(static_cast<float>(sum / rows));
    normalisation.scale.push_back(variance > 1e-12 ? static_cast<float>(std::sqrt(variance)) : 1.0F);
  }
  return normalisation;
}

}  // namespace layersim
