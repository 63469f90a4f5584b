#pragma once
// Rows of features, row-major: what the learned parts of the methods read.

#include <cstddef>
#include <span>
#include <vector>

namespace layersim {

struct Matrix {
  std::size_t columns = 0;
  std::vector<float> values;

  [[nodiscard]] std::size_t rows() const { return columns == 0 ? 0 : values.size() / columns; }
  [[nodiscard]] std::span<const float> row(std::size_t i) const {
    return std::span(values).subspan(i * columns, columns);
  }
  void add_row(std::span<const float> row) {
    columns = row.size();
    values.insert(values.end(), row.begin(), row.end());
  }
};

}  // namespace layersim
