#pragma once
// Two tables hold the same rows: the same columns in the same order with the same fields.

#include <catch2/catch.hpp>
#include <cmath>

#include "sim/store/table.h"

namespace layersim::tests {

inline void check_same_rows(const Table& a, const Table& b) {
  REQUIRE(a.rows() == b.rows());
  REQUIRE(a.columns().size() == b.columns().size());
  CHECK(a.kind() == b.kind());
  for (std::size_t i = 0; i < a.columns().size(); ++i) {
    const Column& left = a.columns()[i];
    const Column& right = b.columns()[i];
    INFO("column " << left.spec.name);
    REQUIRE(left.spec == right.spec);
    std::size_t different = 0;
    for (std::size_t row = 0; row < a.rows(); ++row) {
      bool same = false;
      if (left.is_text()) {
        same = a.text(left.spec.name, row) == b.text(left.spec.name, row);
      } else {
        same = left.numbers[row] == right.numbers[row] ||
               (std::isnan(left.numbers[row]) && std::isnan(right.numbers[row]));
      }
      different += same ? 0 : 1;
    }
    CHECK(different == 0);
  }
}

}  // namespace layersim::tests
