#include "sim/core/shape.h"

#include <catch2/catch.hpp>

#include "sim/core/dtype.h"
#include "sim/core/error.h"

using namespace layersim;

TEST_CASE("element_count multiplies the sizes and refuses what would overflow") {
  CHECK(element_count({2, 3, 4}) == 24);
  CHECK(element_count({}) == 1);
  CHECK(element_count({0, std::int64_t{1} << 40}) == 0);
  CHECK_THROWS_AS(element_count({std::int64_t{1} << 62, 2}), Error);
  CHECK_THROWS_AS(element_count({2, kUnknownDim}), Error);
}

TEST_CASE("broadcast follows NumPy") {
  CHECK(broadcast({3, 1, 5}, {4, 1}) == Shape{3, 4, 5});
  CHECK(broadcast({}, {2}) == Shape{2});
  CHECK(broadcast({kUnknownDim, 2}, {7, 1}) == Shape{7, 2});
  CHECK_THROWS_AS(broadcast({2}, {3}), Error);
}

TEST_CASE("data types know their size") {
  CHECK(bytes(DType::i4) == 0.5);
  CHECK(bytes(DType::bf16) == 2);
  for (const auto dtype : {DType::f32, DType::boolean, DType::u4}) CHECK(parse_dtype(name(dtype)) == dtype);
}
