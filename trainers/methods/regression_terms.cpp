#include "trainers/methods/regression_terms.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <string>

namespace layersim {
namespace {

using Name = std::string_view;

bool is_choice(Name feature) { return feature.find('=') != Name::npos; }

// Arithmetic and traffic of the device's memory take time at one of its rates, and none without.
bool is_work(Name amount) {
  return amount.ends_with("_gflop") || amount.ends_with("_gb") || amount.ends_with("_gvalues");
}

// Whether an amount over that rate is a time. Amounts without a unit may be anything.
bool is_rate_of(Name rate, Name amount) {
  const bool instructions = rate.ends_with("_ginstr_s");
  if (amount.ends_with("_gflop")) return rate.ends_with("_tflops") || instructions;
  if (amount.ends_with("_gvalues")) return instructions;
  if (amount.ends_with("_mb")) return rate.ends_with("_gb_s") || instructions;
  if (amount.ends_with("_gb") || amount.ends_with("_m")) return rate == "bandwidth_gb_s" || instructions;
  return !amount.ends_with("_ms");
}

bool varies(const RegressionTable& table, std::size_t feature) {
  return std::any_of(table.rows.begin(), table.rows.end(), [&](const RegressionRow& row) {
    return row.features[feature] != table.rows.front().features[feature];
  });
}

// Of a feature that varies: "conv_gvalues" of "conv_gb", where all runs have one precision.
bool is_multiple(const RegressionTable& table, std::size_t feature, std::size_t other) {
  constexpr double kRounding = 1e-9;
  const RegressionRow& row =
      *std::find_if(table.rows.begin(), table.rows.end(),
                    [&](const RegressionRow& each) { return each.features[other] != 0; });
  const double factor = row.features[feature] / row.features[other];
  return std::all_of(table.rows.begin(), table.rows.end(), [&](const RegressionRow& each) {
    const double value = each.features[feature];
    return std::fabs(factor * each.features[other] - value) <= kRounding * std::fabs(value);
  });
}

// Whether the rows tell it from the features before it, and from a constant.
bool tells(const RegressionTable& table, std::size_t feature) {
  for (std::size_t f = 0; f < feature; ++f) {
    if (varies(table, f) && is_multiple(table, feature, f)) return false;
  }
  return varies(table, feature);
}

bool is_positive(const RegressionTable& table, std::size_t feature) {
  return std::all_of(table.rows.begin(), table.rows.end(),
                     [&](const RegressionRow& row) { return row.features[feature] > 0; });
}

bool has_three_values(const RegressionTable& table, std::size_t feature) {
  std::set<double> values;
  for (const RegressionRow& row : table.rows) values.insert(row.features[feature]);
  return values.size() > 2;
}

// What a step spends its time on, and the rate that divides it. Instructions beside those that multiply, and
// those of layers that wait for the memory, run at the rate at which the device starts instructions; they are
// as many for values of 2 bytes as of 4. What convolutions read and write passes the memory more than once
// (layouts are changed, gradients gathered).
struct StepPart {
  Name amount;
  Name rate;  // empty: the amount is a time, or that of the host
};
constexpr StepPart kStepParts[] = {{"kernels", ""},
                                   {"shared_kernels", ""},
                                   {"exchanged_mb", ""},
                                   {"input_mb", ""},
                                   {"winograd_tiled_ms", ""},
                                   {"conv_tiled_ms", ""},
                                   {"grouped_roofline_ms", ""},
                                   {"product_roofline_ms", ""},
                                   {"other_roofline_ms", ""},
                                   {"update_roofline_ms", ""},
                                   {"input_mb", "issue_ginstr_s"},
                                   {"conv_gb", "bandwidth_gb_s"},
                                   {"conv_gvalues", "issue_ginstr_s"},
                                   {"conv_weights_m", "issue_ginstr_s"},
                                   {"other_gvalues", "issue_ginstr_s"},
                                   {"update_gb", "issue_ginstr_s"}};

std::optional<std::size_t> find(const RegressionTable& table, Name feature) {
  const auto found = std::find(table.features.begin(), table.features.end(), feature);
  if (found == table.features.end()) return {};
  return static_cast<std::size_t>(found - table.features.begin());
}

// Stacks are of different hosts, whose launches take different times.
void add_launches_of_stacks(const RegressionTable& table, std::size_t kernels, std::vector<Term>& terms) {
  for (std::size_t f = 0; f < table.features.size(); ++f) {
    if (table.features[f].starts_with("stack=") && varies(table, f))
      terms.push_back({{{kernels, Form::value}, {f, Form::value}}, 0});
  }
}

std::vector<Term> step_parts(const RegressionTable& table) {
  std::vector<Term> terms(1);
  for (const StepPart& part : kStepParts) {
    const auto amount = find(table, part.amount);
    if (!amount) return {};
    if (!varies(table, *amount)) continue;
    terms.push_back({{{*amount, Form::value}}, 0});
    if (part.amount.ends_with("kernels")) add_launches_of_stacks(table, *amount, terms);
    if (!part.rate.empty()) terms.back().factors.push_back({table.feature(part.rate), Form::inverse});
  }
  return terms;
}

bool may_multiply(const RegressionTable& table, const Factor& a, const Factor& b) {
  const Name left = table.features[a.feature];
  const Name right = table.features[b.feature];
  if (is_device_rate(left) && is_device_rate(right)) return false;
  if (is_device_rate(left)) return may_multiply(table, b, a);
  return a.feature != b.feature &&
         (!is_device_rate(right) ||
          (a.form == Form::value && b.form == Form::inverse && !is_choice(left) && is_rate_of(right, left)));
}

// The forms of a feature. Of two different values all forms are the same to the rows, and only one is
// offered: work is divided by devices.
void add_forms(const RegressionTable& table, std::size_t feature, std::vector<Factor>& single) {
  const bool has_all = !is_choice(table.features[feature]) && is_positive(table, feature);
  const bool is_divisor = table.features[feature].ends_with("gpus");
  if (has_all && !has_three_values(table, feature)) {
    single.push_back({feature, is_divisor ? Form::inverse : Form::value});
    return;
  }
  single.push_back({feature, Form::value});
  if (!has_all) return;
  single.push_back({feature, Form::inverse});
  single.push_back({feature, Form::logarithm});
}

// Of tables with few columns also products of three: "iterations * layers / n_gpus".
void add_triples(const RegressionTable& table, const std::vector<Factor>& single, std::vector<Term>& terms) {
  constexpr std::size_t kMost = 24;
  if (single.size() > kMost) return;
  for (std::size_t i = 0; i < single.size(); ++i) {
    for (std::size_t j = i + 1; j < single.size(); ++j) {
      if (!may_multiply(table, single[i], single[j])) continue;
      for (std::size_t k = j + 1; k < single.size(); ++k) {
        if (may_multiply(table, single[i], single[k]) && may_multiply(table, single[j], single[k]))
          terms.push_back({{single[i], single[j], single[k]}, 0});
      }
    }
  }
}

std::vector<Term> products(const RegressionTable& table) {
  std::vector<Factor> single;
  for (std::size_t f = 0; f < table.features.size(); ++f) {
    if (tells(table, f)) add_forms(table, f, single);
  }
  std::vector<Term> terms(1);
  for (const Factor& factor : single) terms.push_back({{factor}, 0});
  for (std::size_t i = 0; i < single.size(); ++i) {
    for (std::size_t j = i + 1; j < single.size(); ++j) {
      if (may_multiply(table, single[i], single[j])) terms.push_back({{single[i], single[j]}, 0});
    }
  }
  add_triples(table, single, terms);
  return terms;
}

// An amount alone and over its rates, and of some rows. Work stands alone only where the rates do not vary.
void add_amount(const RegressionTable& table, std::size_t amount, const std::vector<std::size_t>& rates,
                const std::vector<std::size_t>& choices, std::vector<Term>& terms) {
  const Factor factor{amount, Form::value};
  for (const std::size_t rate : rates) {
    if (is_rate_of(table.features[rate], table.features[amount]))
      terms.push_back({{factor, {rate, Form::inverse}}, 0});
  }
  if (!rates.empty() && is_work(table.features[amount])) return;
  terms.push_back({{factor}, 0});
  for (const std::size_t choice : choices) terms.push_back({{factor, {choice, Form::value}}, 0});
}

std::vector<Term> parts(const RegressionTable& table) {
  std::vector<std::size_t> amounts;
  std::vector<std::size_t> rates;
  std::vector<std::size_t> choices;
  for (std::size_t f = 0; f < table.features.size(); ++f) {
    if (!tells(table, f)) continue;
    if (is_choice(table.features[f])) {
      choices.push_back(f);
    } else if (!is_device_rate(table.features[f])) {
      amounts.push_back(f);
    } else if (is_positive(table, f)) {
      rates.push_back(f);
    }
  }
  std::vector<Term> terms(1);
  for (const std::size_t choice : choices) terms.push_back({{{choice, Form::value}}, 0});
  for (const std::size_t amount : amounts) add_amount(table, amount, rates, choices, terms);
  return terms;
}

constexpr std::array<FormulaKind, 4> kKinds{
    FormulaKind{"step", step_parts, false, true, false}, FormulaKind{"parts", parts, false, true},
    FormulaKind{"sum", products, false, false}, FormulaKind{"logarithm", products, true, false}};

}  // namespace

bool is_device_rate(Name feature) {
  return feature == "multiprocessors" || feature.ends_with("_tflops") || feature.ends_with("_ginstr_s") ||
         feature.ends_with("_gb_s") || feature.ends_with("_ghz");
}

std::span<const FormulaKind> formula_kinds() { return kKinds; }

}  // namespace layersim
