#include "sim/methods/regression/regression_model.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "sim/methods/common/log_interval.h"
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

std::string formula_text(const RegressionModel& model, const std::vector<Term>& terms, bool of_logarithm) {
  const std::string left = of_logarithm ? "log(time_ms) = " : "time_ms = ";
  std::string text;
  for (const Term& term : terms) {
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

// What of a name counts: "MobileNet_V2" and "mobilenetv2" are the same.
std::string plain(const std::string& name) {
  std::string letters;
  for (const char c : name) {
    if (c != '_' && c != '-') letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return letters;
}

bool is_new(const std::vector<std::string>& known, const std::string& name) {
  return !known.empty() && !name.empty() && std::none_of(known.begin(), known.end(), [&](const auto& each) {
    return plain(each) == plain(name);
  });
}

bool is_defined(const std::vector<Term>& terms, std::span<const double> features) {
  return std::all_of(terms.begin(), terms.end(), [&](const Term& term) {
    return std::all_of(term.factors.begin(), term.factors.end(),
                       [&](const Factor& factor) { return factor.is_defined(features); });
  });
}

double sum_of(const std::vector<Term>& terms, std::span<const double> features) {
  double sum = 0;
  for (const Term& term : terms) sum += term.coefficient * term.of(features);
  return sum;
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

bool Factor::is_defined(std::span<const double> features) const {
  return form == Form::value || features[feature] > 0;
}

double Term::of(std::span<const double> features) const {
  double product = 1;
  for (const Factor& factor : factors) product *= factor.of(features);
  return product;
}

Novelty RegressionModel::novelty(std::span<const double> row, const std::string& network,
                                 const std::string& gpu) const {
  constexpr double kRounding = 1e-9;
  Novelty novelty{is_new(networks, network), is_new(gpus, gpu), {}};
  for (std::size_t i = 0; i < features.size(); ++i) {
    const double slack = kRounding * std::max(std::fabs(low[i]), std::fabs(high[i]));
    if (row[i] < low[i] - slack || row[i] > high[i] + slack) novelty.outside.push_back(features[i]);
  }
  return novelty;
}

bool RegressionModel::knows_stack(const std::string& stack) const {
  return stacks == std::vector<std::string>{stack} ||
         std::any_of(features.begin(), features.end(), [&](const std::string& feature) {
           return feature == "stack=" + stack || feature == "framework=" + stack;
         });
}

double RegressionModel::formula_ms(std::span<const double> row) const {
  return told_ms(row, false).value_or(least_ms);
}

bool RegressionModel::is_for_networks() const { return left_out == "network" || left_out == "family"; }

// The formula was chosen by rows that were new in what `left_out` says. Where products or logarithms lead
// outside of their range nobody knows.
bool RegressionModel::takes_step(const Novelty& novelty) const {
  const bool for_networks = is_for_networks();
  const bool adds_up = !of_logarithm && std::all_of(terms.begin(), terms.end(),
                                                    [](const Term& term) { return term.coefficient >= 0; });
  const bool for_values = left_out != "configuration" && left_out != "gpu" && !for_networks;
  return !step_terms.empty() && ((novelty.network && !for_networks) || (novelty.gpu && left_out != "gpu") ||
                                 (!novelty.outside.empty() && !adds_up && !for_values));
}

double RegressionModel::predict_ms(std::span<const double> row, const Novelty& novelty) const {
  return told_ms(row, takes_step(novelty)).value_or(least_ms);
}

bool RegressionModel::tells_time(std::span<const double> row, const Novelty& novelty) const {
  return told_ms(row, takes_step(novelty)).has_value();
}

// A sum of parts none of which is below zero is a time however short. Where parts are taken from others, and
// where a logarithm runs off, what is far below all that was fitted is none.
std::optional<double> RegressionModel::told_ms(std::span<const double> row, bool of_step) const {
  constexpr double kMostLog = 60;  // of the logarithm: more than any time
  const std::vector<Term>& parts = of_step ? step_terms : terms;
  if (!is_defined(parts, row)) return std::nullopt;
  const bool exponential = of_logarithm && !of_step;
  const double sum = sum_of(parts, row);
  const bool adds_up = !exponential && std::all_of(parts.begin(), parts.end(), [&](const Term& term) {
    return term.coefficient * term.of(row) >= 0;
  });
  const double time_ms = exponential ? std::exp(std::min(sum, kMostLog)) : sum;
  if (time_ms > (adds_up ? 0 : least_ms)) return time_ms;
  return std::nullopt;
}

Interval RegressionModel::interval_ms(double predicted_ms, const Novelty& novelty) const {
  const bool of_step = takes_step(novelty);
  double width = of_step ? std::max(half_width, new_network_half_width) : half_width;
  if (novelty.network && (of_step || !is_for_networks()))
    width = unseen_half_width(width, new_network_half_width);
  if (novelty.gpu && (of_step || left_out != "gpu")) width = unseen_half_width(width, new_gpu_half_width);
  const double shortest_ms = 2 * least_ms;
  if (predicted_ms < shortest_ms && !novelty.outside.empty())
    width = std::max(unseen_half_width(width, 0), std::log(least_ms / predicted_ms));
  return log_interval(predicted_ms, width);
}

std::string formula(const RegressionModel& model) {
  return formula_text(model, model.terms, model.of_logarithm);
}

std::string step_formula(const RegressionModel& model) {
  return model.step_terms.empty() ? "" : formula_text(model, model.step_terms, false);
}

}  // namespace layersim
