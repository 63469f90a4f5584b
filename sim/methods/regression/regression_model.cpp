#include "sim/methods/regression/regression_model.h"

#include <algorithm>
#include <cmath>

#include "sim/report/readable_text.h"

namespace layersim {
namespace {

std::string factor_text(const std::string& feature, Form form) {
  return form == Form::logarithm ? "log(" + feature + ')' : feature;
}

// Inverses stand behind a stroke.
std::string term_text(const RegressionModel& model, const Term& term) {
  std::string text = short_number(std::fabs(term.coefficient));
  for (const Factor& factor : term.factors)
    text += (factor.form == Form::inverse ? " / " : " * ") +
            factor_text(model.features[factor.feature], factor.form);
  return text;
}

}  // namespace

double Factor::of(std::span<const double> features) const {
  const double value = features[feature];
  switch (form) {
    case Form::value:
      return value;
    case Form::inverse:
      return value == 0 ? 0 : 1 / value;
    case Form::logarithm:
      return value > 0 ? std::log(value) : 0;
  }
  return value;
}

double Term::of(std::span<const double> features) const {
  double product = 1;
  for (const Factor& factor : factors) product *= factor.of(features);
  return product;
}

double RegressionModel::predict_ms(std::span<const double> row) const {
  constexpr double kMostLog = 60;  // of the logarithm: more than any time
  double sum = 0;
  for (const Term& term : terms) sum += term.coefficient * term.of(row);
  return std::max(of_logarithm ? std::exp(std::min(sum, kMostLog)) : sum, least_ms);
}

Interval RegressionModel::interval_ms(double predicted_ms) const {
  return {predicted_ms * std::exp(-half_width), predicted_ms * std::exp(half_width)};
}

std::vector<std::string> RegressionModel::outside(std::span<const double> row) const {
  constexpr double kRounding = 1e-9;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < features.size(); ++i) {
    const double slack = kRounding * std::max(std::fabs(low[i]), std::fabs(high[i]));
    if (row[i] < low[i] - slack || row[i] > high[i] + slack) names.push_back(features[i]);
  }
  return names;
}

std::string formula(const RegressionModel& model) {
  const std::string left = model.of_logarithm ? "log(time_ms) = " : "time_ms = ";
  std::string text;
  for (const Term& term : model.terms) {
    const bool negative = term.coefficient < 0;
    if (text.empty()) {
      text = left + (negative ? "-" : "");
    } else {
      text += '\n' + std::string(left.size() - 2, ' ') + (negative ? "- " : "+ ");
    }
    text += term_text(model, term);
  }
  return text + '\n';
}

}  // namespace layersim
