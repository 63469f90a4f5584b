#include "trainers/methods/regression_terms.h"

#include <algorithm>
#include <array>
#include <string>

namespace layersim {
namespace {

bool is_choice(const std::string& feature) { return feature.find('=') != std::string::npos; }

// Of a device, by the name's unit.
bool is_rate(const std::string& feature) {
  return feature == "multiprocessors" || feature.ends_with("_tflops") || feature.ends_with("_ginstr_s") || feature.ends_with("_gb_s") ||
         feature.ends_with("_ghz");
}

bool varies(const RegressionTable& table, std::size_t feature) {
  return std::any_of(table.rows.begin(), table.rows.end(), [&](const RegressionRow& row) {
    return row.features[feature] != table.rows.front().features[feature];
  });
}

bool is_positive(const RegressionTable& table, std::size_t feature) {
  return std::all_of(table.rows.begin(), table.rows.end(),
                     [&](const RegressionRow& row) { return row.features[feature] > 0; });
}

std::vector<Term> products(const RegressionTable& table) {
  std::vector<Factor> single;
  for (std::size_t f = 0; f < table.features.size(); ++f) {
    if (!varies(table, f)) continue;
    single.push_back({f, Form::value});
    if (is_choice(table.features[f]) || !is_positive(table, f)) continue;
    single.push_back({f, Form::inverse});
    single.push_back({f, Form::logarithm});
  }
  std::vector<Term> terms(1);
  for (const Factor& factor : single) terms.push_back({{factor}, 0});
  for (std::size_t i = 0; i < single.size(); ++i) {
    for (std::size_t j = i + 1; j < single.size(); ++j) {
      if (single[i].feature != single[j].feature) terms.push_back({{single[i], single[j]}, 0});
    }
  }
  return terms;
}

std::vector<Term> parts(const RegressionTable& table) {
  std::vector<std::size_t> amounts;
  std::vector<Factor> scales;  // of an amount
  for (std::size_t f = 0; f < table.features.size(); ++f) {
    if (!varies(table, f)) continue;
    if (is_choice(table.features[f])) {
      scales.push_back({f, Form::value});
    } else if (!is_rate(table.features[f])) {
      amounts.push_back(f);
    } else if (is_positive(table, f)) {
      scales.push_back({f, Form::inverse});
    }
  }
  std::vector<Term> terms(1);
  for (const Factor& scale : scales) {
    if (scale.form == Form::value) terms.push_back({{scale}, 0});
  }
  for (const std::size_t amount : amounts) {
    terms.push_back({{{amount, Form::value}}, 0});
    const bool is_time = table.features[amount].ends_with("_ms");
    for (const Factor& scale : scales) {
      if (!is_time || scale.form == Form::value) terms.push_back({{{amount, Form::value}, scale}, 0});
    }
  }
  return terms;
}

constexpr std::array<FormulaKind, 3> kKinds{FormulaKind{"parts", parts, false, true},
                                            FormulaKind{"sum", products, false, false},
                                            FormulaKind{"logarithm", products, true, false}};

}  // namespace

std::span<const FormulaKind> formula_kinds() { return kKinds; }

}  // namespace layersim
