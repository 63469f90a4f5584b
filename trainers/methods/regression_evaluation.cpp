#include <algorithm>
#include <map>
#include <set>

#include "sim/core/error.h"
#include "trainers/methods/formula_fit.h"
#include "trainers/methods/plain_models.h"
#include "trainers/methods/regression_training.h"

namespace layersim {
namespace {

void add_rows(ErrorTable& errors, const RegressionTable& rows, const RegressionModel& model,
              const PlainModels& plain) {
  errors.baselines = plain.names();
  for (const RegressionRow& row : rows.rows) {
    const Novelty novelty = model.novelty(row.features, row.network, row.gpu);
    const double predicted_ms = model.predict_ms(row.features, novelty);
    errors.rows.push_back({{row.gpu.empty() ? "all" : row.gpu, row.network.empty() ? "all" : row.network},
                           row.target_ms,
                           predicted_ms,
                           model.interval_ms(predicted_ms, novelty),
                           plain.predict_ms(row)});
  }
}

ErrorTable empty_table() { return {{"gpu", "network"}, 1, {}, {}}; }

// The part predicted by the others.
void add_part(ErrorTable& errors, const RegressionTable& table, const std::vector<int>& parts, int part,
              const LeftOut& left_out, std::uint64_t seed) {
  const RegressionTable others = rows_of_part(table, parts, part, false);
  add_rows(errors, rows_of_part(table, parts, part, true), fit_regression(others, left_out, seed),
           PlainModels(others));
}

// Of each family with several networks those with the most layers.
std::vector<int> deepest(const RegressionTable& table) {
  const std::size_t layers = table.feature("layers");
  std::map<std::string, std::pair<double, double>> range;  // of the layers
  for (const RegressionRow& row : table.rows) {
    const double depth = row.features[layers];
    const auto [found, is_new] = range.try_emplace(row.family, depth, depth);
    found->second = {std::min(found->second.first, depth), std::max(found->second.second, depth)};
  }
  std::vector<int> parts;
  for (const RegressionRow& row : table.rows) {
    const auto& [low, high] = range.at(row.family);
    parts.push_back(low < high && row.features[layers] == high ? 1 : 0);
  }
  return parts;
}

std::vector<int> largest(const RegressionTable& table, const std::string& feature) {
  constexpr std::size_t kShare = 5;
  const std::size_t column = table.feature(feature);
  std::set<double> values;
  for (const RegressionRow& row : table.rows) values.insert(row.features[column]);
  if (values.size() < 3)
    throw bad_use("to extrapolate, '" + feature + "' must have three values or more in the rows");
  const std::size_t taken = std::max<std::size_t>(values.size() / kShare, 1);
  const double least = *std::next(values.rbegin(), static_cast<std::ptrdiff_t>(taken - 1));
  std::vector<int> parts;
  for (const RegressionRow& row : table.rows) parts.push_back(row.features[column] >= least ? 1 : 0);
  return parts;
}

}  // namespace

ErrorTable evaluate_regression_left_out(const RegressionTable& table, const LeftOut& left_out,
                                        std::uint64_t seed,
                                        const std::function<void(int part, int parts)>& report) {
  constexpr int kParts = 5;
  constexpr int kEach = 1 << 20;  // a part for each
  const bool in_parts = left_out.what == LeftOut::What::configuration;
  const std::vector<int> parts = divide(table, left_out, in_parts ? kParts : kEach, seed + 1);
  const int count = *std::max_element(parts.begin(), parts.end()) + 1;
  ErrorTable errors = empty_table();
  for (int part = 0; part < count; ++part) {
    report(part, count);
    add_part(errors, table, parts, part, left_out, seed);
  }
  return errors;
}

ErrorTable evaluate_extrapolation(const RegressionTable& table, const std::string& feature,
                                  std::uint64_t seed) {
  const bool depth = feature == "depth";
  const std::vector<int> parts = depth ? deepest(table) : largest(table, feature);
  if (std::find(parts.begin(), parts.end(), 1) == parts.end())
    throw bad_use("no family in the rows has networks of different depth");
  ErrorTable errors = empty_table();
  const LeftOut inner = depth ? LeftOut{LeftOut::What::network} : LeftOut{LeftOut::What::value, feature};
  add_part(errors, table, parts, 1, inner, seed);
  return errors;
}

ErrorTable evaluate_regression(const RegressionTable& table, const RegressionModel& model) {
  ErrorTable errors = empty_table();
  add_rows(errors, table, model, PlainModels(table));
  return errors;
}

}  // namespace layersim
