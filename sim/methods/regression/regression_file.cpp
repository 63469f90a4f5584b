// Terms are kept as lines "COEFFICIENT<tab>FORM FEATURE<tab>FORM FEATURE", coefficients to the last digit:
// large ones of opposite sign may stand beside each other.

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

#include "sim/core/config_dir.h"
#include "sim/core/error.h"
#include "sim/core/strict_json.h"
#include "sim/methods/regression/regression_model.h"
#include "sim/store/array_file.h"

namespace layersim {
namespace {

constexpr FileFormat kFormat{"regression predictor", 1};
constexpr const char* kGroup = "regression";
constexpr std::array<std::string_view, 3> kForms{"value", "inverse", "logarithm"};

std::string_view cut(std::string_view& text, char at) {
  const std::size_t end = std::min(text.find(at), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

double parse_finite(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
    throw bad_input("'" + std::string(text.substr(0, 40)) + "' is no number");
  return value;
}

Factor parse_factor(std::string_view text, const std::vector<std::string>& features) {
  Factor factor;
  const std::string_view form = cut(text, ' ');
  const auto* found = std::find(kForms.begin(), kForms.end(), form);
  const auto feature = std::find(features.begin(), features.end(), text);
  if (found == kForms.end() || feature == features.end())
    throw bad_input("has a term of '" + std::string(text.substr(0, 40)) + "', which it does not list");
  factor.form = static_cast<Form>(found - kForms.begin());
  factor.feature = static_cast<std::size_t>(feature - features.begin());
  return factor;
}

Term parse_term(std::string_view line, const std::vector<std::string>& features) {
  Term term;
  term.coefficient = parse_finite(cut(line, '\t'));
  while (!line.empty()) term.factors.push_back(parse_factor(cut(line, '\t'), features));
  return term;
}

std::string term_line(const Term& term, const std::vector<std::string>& features) {
  std::string line = number_text(term.coefficient);
  for (const Factor& factor : term.factors)
    line.append("\t")
        .append(kForms[static_cast<std::size_t>(factor.form)])
        .append(" ")
        .append(features[factor.feature]);
  return line;
}

std::vector<double> parse_all(const std::vector<std::string>& lines) {
  std::vector<double> numbers;
  numbers.reserve(lines.size());
  for (const std::string& line : lines) numbers.push_back(parse_finite(line));
  return numbers;
}

std::vector<std::string> texts_of(const std::vector<double>& numbers) {
  std::vector<std::string> lines;
  lines.reserve(numbers.size());
  for (const double number : numbers) lines.push_back(number_text(number));
  return lines;
}

std::vector<Term> parse_terms(const ArrayGroup& group, const char* name,
                              const std::vector<std::string>& features) {
  std::vector<Term> terms;
  for (const std::string& line : group.lines(name)) terms.push_back(parse_term(line, features));
  return terms;
}

void set_terms(ArrayGroup& group, const char* name, const std::vector<Term>& terms,
               const std::vector<std::string>& features) {
  std::vector<std::string> lines;
  lines.reserve(terms.size());
  for (const Term& term : terms) lines.push_back(term_line(term, features));
  group.set_lines(name, lines);
}

// What files of older versions do not have: what is known of rows unlike those fitted.
void read_unseen(const ArrayGroup& group, RegressionModel& model) {
  model.gpus = group.lines("gpus");
  model.step_terms = parse_terms(group, "step_terms", model.features);
  const std::vector<double> widths = parse_all(group.lines("unseen_half_widths"));
  if (widths.size() != 2) throw bad_input("is damaged: its parts do not fit together");
  model.new_network_half_width = widths[0];
  model.new_gpu_half_width = widths[1];
}

RegressionModel read_group(const ArrayGroup& group) {
  RegressionModel model;
  model.features = group.lines("features");
  model.low = parse_all(group.lines("low"));
  model.high = parse_all(group.lines("high"));
  model.terms = parse_terms(group, "terms", model.features);
  if (group.texts.count("step_terms") > 0) read_unseen(group, model);
  const std::vector<double> numbers = parse_all(group.lines("numbers"));
  if (model.low.size() != model.features.size() || model.high.size() != model.features.size() ||
      model.terms.empty() || numbers.size() != 4)
    throw bad_input("is damaged: its parts do not fit together");
  model.of_logarithm = numbers[0] != 0;
  model.least_ms = numbers[1];
  model.half_width = numbers[2];
  model.left_out_mape = numbers[3];
  model.left_out = group.text("left_out");
  model.networks = group.lines("networks");
  if (group.texts.count("stacks") > 0) model.stacks = group.lines("stacks");
  if (group.texts.count("precisions") > 0) model.precisions = group.lines("precisions");
  if (group.texts.count("modes") > 0) model.modes = group.lines("modes");
  if (group.texts.count("optimizers") > 0) model.optimizers = group.lines("optimizers");
  model.sources = group.lines("sources");
  model.date = group.text("date");
  return model;
}

}  // namespace

RegressionModel read_regression_model(const std::filesystem::path& file) {
  return with_context(file.string(), [&] {
    const ArrayGroups groups = read_array_file(file.string(), kFormat);
    const auto own = groups.find(kGroup);
    if (own == groups.end()) throw bad_input("has no group 'regression'");
    return read_group(own->second);
  });
}

void write_regression_model(const RegressionModel& model, const std::filesystem::path& file) {
  ArrayGroups groups;
  ArrayGroup& group = groups[kGroup];
  group.set_lines("features", model.features);
  group.set_lines("low", texts_of(model.low));
  group.set_lines("high", texts_of(model.high));
  set_terms(group, "terms", model.terms, model.features);
  set_terms(group, "step_terms", model.step_terms, model.features);
  group.set_lines("unseen_half_widths", texts_of({model.new_network_half_width, model.new_gpu_half_width}));
  group.set_lines("gpus", model.gpus);
  group.set_lines("stacks", model.stacks);
  group.set_lines("precisions", model.precisions);
  group.set_lines("modes", model.modes);
  group.set_lines("optimizers", model.optimizers);
  group.set_lines("numbers", texts_of({model.of_logarithm ? 1.0 : 0.0, model.least_ms, model.half_width,
                                       model.left_out_mape}));
  group.texts["left_out"] = model.left_out;
  group.set_lines("networks", model.networks);
  group.set_lines("sources", model.sources);
  group.texts["date"] = model.date;
  with_context(file.string(), [&] { write_array_file(file.string(), kFormat, groups); });
}

std::filesystem::path shipped_regression_file() { return config_dir() / "predictors" / "regression.h5"; }

}  // namespace layersim
