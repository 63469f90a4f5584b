#include "sim/evaluation/error_measures.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <vector>

using namespace layersim;

TEST_CASE("errors of a few pairs are what the formulas say") {
  const std::vector<double> measured{1, 2, 4, 10};
  const std::vector<double> predicted{1.5, 2, 3, 12};
  const std::vector<Interval> intervals{{0.9, 2}, {2, 2}, {2.5, 3.9}, {10.1, 14}};
  const ErrorMeasures errors = measure_errors(measured, predicted, intervals);
  CHECK(errors.n == 4);
  CHECK(errors.mape == Approx((0.5 + 0 + 0.25 + 0.2) / 4));
  CHECK(errors.median_ape == Approx((0.2 + 0.25) / 2));
  CHECK(errors.rmse_ms == Approx(std::sqrt((0.25 + 0 + 1 + 4) / 4)));
  CHECK(errors.spearman == Approx(1));
  CHECK(errors.pearson == Approx(58.875 / std::sqrt(48.75 * 73.6875)));
  CHECK(errors.coverage90 == Approx(0.5));
}

TEST_CASE("equal times share their rank, and one order against the other is -1") {
  CHECK(measure_errors(std::vector<double>{1, 2, 3}, std::vector<double>{9, 8, 7}, {}).spearman ==
        Approx(-1));
  // Ranks 0 1.5 1.5 3 against 0 1 2 3.
  CHECK(measure_errors(std::vector<double>{1, 2, 2, 3}, std::vector<double>{1, 2, 3, 4}, {}).spearman ==
        Approx(4.5 / std::sqrt(4.5 * 5)));
}

TEST_CASE("what is not defined is NaN, and pairs without a prediction do not count") {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const ErrorMeasures none = measure_errors(std::vector<double>{1}, std::vector<double>{kNone}, {});
  CHECK(none.n == 0);
  CHECK(std::isnan(none.mape));
  CHECK(std::isnan(none.coverage90));
  const ErrorMeasures one = measure_errors(std::vector<double>{1, 4}, std::vector<double>{kNone, 5}, {});
  CHECK(one.n == 1);
  CHECK(one.mape == Approx(0.25));
  CHECK(one.median_ape == Approx(0.25));
  CHECK(std::isnan(one.pearson));
  CHECK(std::isnan(one.spearman));
}
