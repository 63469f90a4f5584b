#include "trainers/methods/regression_training.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "sim/core/error.h"
#include "sim/methods/telemetry/signal.h"
#include "trainers/methods/forward_selection.h"
#include "trainers/methods/plain_models.h"
#include "trainers/methods/regression_terms.h"

namespace layersim {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t kLeastRows = 10;
constexpr int kMostFolds = 8;
constexpr std::size_t kLeastFolds = 3;  // one is predicted, of the others each chooses for the rest
constexpr double kInterval = 0.9;

// A least-squares problem whose residuals are relative errors, or those of the logarithm.
struct Problem {
  MatrixXd x;
  VectorXd y;
};

Problem make_problem(const RegressionTable& table, const std::vector<Term>& terms, bool of_logarithm) {
  const auto rows = static_cast<Index>(table.rows.size());
  Problem problem{MatrixXd(rows, static_cast<Index>(terms.size())), VectorXd(rows)};
  for (Index i = 0; i < rows; ++i) {
    const RegressionRow& row = table.rows[static_cast<std::size_t>(i)];
    const double scale = of_logarithm ? 1 : 1 / row.target_ms;
    for (Index j = 0; j < problem.x.cols(); ++j)
      problem.x(i, j) = scale * terms[static_cast<std::size_t>(j)].of(row.features);
    problem.y(i) = of_logarithm ? std::log(row.target_ms) : 1;
  }
  return problem;
}

// The least squares; or, negative coefficients taken out one by one, those without any.
VectorXd solve(const MatrixXd& squares, const VectorXd& products, bool nonnegative) {
  std::vector<Index> kept(static_cast<std::size_t>(products.size()));
  std::iota(kept.begin(), kept.end(), 0);
  VectorXd b = VectorXd::Zero(products.size());
  while (!kept.empty()) {
    const VectorXd solved = squares(kept, kept).ldlt().solve(products(kept));
    Index least = 0;
    if (!nonnegative || solved.minCoeff(&least) >= 0) {
      b(kept) = solved;
      break;
    }
    kept.erase(kept.begin() + least);
  }
  return b;
}

// Least absolute residuals, by least squares with weights that follow them: a few runs that were disturbed
// do not count more than others. Rows with weight 0 do not count.
VectorXd fit(const Problem& problem, const VectorXd& use, bool nonnegative) {
  constexpr int kIterations = 12;
  constexpr double kLeastResidual = 0.01;
  constexpr double kRidge = 1e-10;
  const VectorXd lengths = problem.x.colwise().norm().transpose().cwiseMax(1e-300);
  const MatrixXd x = problem.x * lengths.cwiseInverse().asDiagonal();
  VectorXd weights = use;
  VectorXd b;
  for (int i = 0; i < kIterations; ++i) {
    MatrixXd squares = x.transpose() * weights.asDiagonal() * x;
    squares.diagonal().array() += kRidge * squares.diagonal().maxCoeff();
    b = solve(squares, x.transpose() * (weights.asDiagonal() * problem.y), nonnegative);
    const VectorXd residuals = (x * b - problem.y).cwiseAbs().cwiseMax(kLeastResidual);
    weights = use.cwiseQuotient(residuals);
  }
  return b.cwiseQuotient(lengths);
}

void set_coefficients(RegressionModel& model, const VectorXd& b) {
  for (Index j = 0; j < b.size(); ++j) model.terms[static_cast<std::size_t>(j)].coefficient = b(j);
}

// Terms that the folds choose, coefficients of all rows.
RegressionModel fit_kind(const RegressionTable& table, const FormulaKind& kind,
                         const std::vector<int>& folds) {
  RegressionModel model;
  model.of_logarithm = kind.of_logarithm;
  model.features = table.features;
  model.least_ms = table.rows.front().target_ms / 2;
  for (const RegressionRow& row : table.rows) model.least_ms = std::min(model.least_ms, row.target_ms / 2);
  const std::vector<Term> terms = kind.candidates(table);
  const Problem problem = make_problem(table, terms, kind.of_logarithm);
  for (const Index column : select_forward(problem.x, problem.y, folds, {.nonnegative = kind.nonnegative}))
    model.terms.push_back(terms[static_cast<std::size_t>(column)]);
  const Problem chosen = make_problem(table, model.terms, kind.of_logarithm);
  set_coefficients(model, fit(chosen, VectorXd::Ones(chosen.y.size()), kind.nonnegative));
  std::erase_if(model.terms, [](const Term& term) { return term.coefficient == 0; });
  return model;
}

std::string group_of(const RegressionTable& table, const RegressionRow& row, const LeftOut& left_out) {
  switch (left_out.what) {
    case LeftOut::What::network:
      return row.network;
    case LeftOut::What::family:
      return row.family;
    case LeftOut::What::gpu:
      return row.gpu;
    case LeftOut::What::value:
      return std::to_string(row.features[table.feature(left_out.feature)]);
    case LeftOut::What::configuration:
      break;
  }
  // What was run, on whatever device.
  std::string key = row.network;
  for (std::size_t f = 0; f < row.features.size(); ++f) {
    const std::string& feature = table.features[f];
    if (feature == "batch" || feature == "n_gpus" || feature == "input_mb" || feature == "pixel" ||
        feature.starts_with("mode="))
      key += '\t' + std::to_string(row.features[f]);
  }
  return key;
}

RegressionTable select(const RegressionTable& table, const std::vector<int>& parts, int part, bool inside) {
  RegressionTable selected{table.features, {}};
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    if ((parts[i] == part) == inside) selected.rows.push_back(table.rows[i]);
  }
  return selected;
}

// Folds without that one, numbered anew.
std::vector<int> without(const std::vector<int>& folds, int fold) {
  std::vector<int> rest;
  for (const int f : folds) {
    if (f != fold) rest.push_back(f < fold ? f : f - 1);
  }
  return rest;
}

// Each row predicted by a formula that neither the choice of its terms nor their coefficients have from its
// fold. `folds`: three or more.
std::vector<double> cross_predict(const RegressionTable& table, const FormulaKind& kind,
                                  const std::vector<int>& folds) {
  std::vector<double> predicted(table.rows.size());
  const int count = *std::max_element(folds.begin(), folds.end()) + 1;
  for (int fold = 0; fold < count; ++fold) {
    const RegressionModel model = fit_kind(select(table, folds, fold, false), kind, without(folds, fold));
    for (std::size_t i = 0; i < folds.size(); ++i) {
      if (folds[i] == fold) predicted[i] = model.predict_ms(table.rows[i].features);
    }
  }
  return predicted;
}

struct CrossValidation {
  const FormulaKind* kind = nullptr;
  std::vector<double> predicted;
  double mape = 0;
  double standard_error = 0;  // of the mean over folds
};

CrossValidation cross_validate(const RegressionTable& table, const FormulaKind& kind,
                               const std::vector<int>& folds) {
  CrossValidation result{&kind, cross_predict(table, kind, folds)};
  std::map<int, std::pair<double, double>> sums;  // of each fold, and its rows
  for (std::size_t i = 0; i < folds.size(); ++i) {
    const double error = std::fabs(result.predicted[i] / table.rows[i].target_ms - 1);
    result.mape += error / static_cast<double>(folds.size());
    sums[folds[i]].first += error;
    sums[folds[i]].second += 1;
  }
  const auto count = static_cast<double>(sums.size());
  double square = 0;
  for (const auto& [fold, sum] : sums) square += std::pow(sum.first / sum.second - result.mape, 2);
  result.standard_error = std::sqrt(square / (count - 1) / count);
  return result;
}

// The simplest kind whose error is not above the least by more than one standard error.
CrossValidation choose_kind(const RegressionTable& table, const std::vector<int>& folds) {
  std::vector<CrossValidation> results;
  for (const FormulaKind& kind : formula_kinds()) results.push_back(cross_validate(table, kind, folds));
  const auto best = std::min_element(results.begin(), results.end(),
                                     [](const auto& a, const auto& b) { return a.mape < b.mape; });
  const double most = best->mape + best->standard_error;
  return *std::find_if(results.begin(), results.end(),
                       [&](const CrossValidation& result) { return result.mape <= most; });
}

double half_width_of(const RegressionTable& table, const std::vector<double>& predicted) {
  std::vector<double> distances;
  for (std::size_t i = 0; i < predicted.size(); ++i)
    distances.push_back(std::fabs(std::log(predicted[i] / table.rows[i].target_ms)));
  return quantile_of(distances, kInterval);
}

void add_rows(ErrorTable& errors, const RegressionTable& rows, const RegressionModel& model,
              const PlainModels& plain) {
  errors.baselines = plain.names();
  for (const RegressionRow& row : rows.rows) {
    const double predicted_ms = model.predict_ms(row.features);
    errors.rows.push_back({{row.gpu.empty() ? "all" : row.gpu, row.network.empty() ? "all" : row.network},
                           row.target_ms,
                           predicted_ms,
                           model.interval_ms(predicted_ms),
                           plain.predict_ms(row)});
  }
}

ErrorTable empty_table() { return {{"gpu", "network"}, 1, {}, {}}; }

std::set<std::string> groups_of(const RegressionTable& table, const LeftOut& left_out) {
  std::set<std::string> groups;
  for (const RegressionRow& row : table.rows) groups.insert(group_of(table, row, left_out));
  return groups;
}

// What to leave out where only one or two of these are left: single configurations.
LeftOut inner_left_out(const RegressionTable& table, const LeftOut& left_out) {
  return groups_of(table, left_out).size() >= kLeastFolds ? left_out : LeftOut{};
}

// The part predicted by the others.
void add_part(ErrorTable& errors, const RegressionTable& table, const std::vector<int>& parts, int part,
              const LeftOut& left_out, std::uint64_t seed) {
  const RegressionTable others = select(table, parts, part, false);
  add_rows(errors, select(table, parts, part, true),
           fit_regression(others, inner_left_out(others, left_out), seed), PlainModels(others));
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

LeftOut parse_left_out(const RegressionTable& table, const std::string& text) {
  constexpr std::string_view kNames[] = {"configuration", "network", "family", "gpu"};
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    if (text == kNames[i]) return {static_cast<LeftOut::What>(i), {}};
  }
  static_cast<void>(table.feature(text));  // throws where there is none
  return {LeftOut::What::value, text};
}

std::string name(const LeftOut& left_out) {
  constexpr std::string_view kNames[] = {"configuration", "network", "family", "gpu"};
  return left_out.what == LeftOut::What::value ? left_out.feature
                                               : std::string(kNames[static_cast<std::size_t>(left_out.what)]);
}

std::vector<int> divide(const RegressionTable& table, const LeftOut& left_out, int most, std::uint64_t seed) {
  const std::set<std::string> groups = groups_of(table, left_out);
  if (groups.size() < 2)
    throw bad_use("to leave out each " + name(left_out) + " in turn the rows must have several of them");
  std::vector<std::string> order(groups.begin(), groups.end());
  std::map<std::string, int> part;
  std::mt19937_64 random(seed);
  std::shuffle(order.begin(), order.end(), random);
  for (std::size_t i = 0; i < order.size(); ++i) part[order[i]] = static_cast<int>(i) % most;
  std::vector<int> parts;
  for (const RegressionRow& row : table.rows) parts.push_back(part[group_of(table, row, left_out)]);
  return parts;
}

RegressionModel fit_regression(const RegressionTable& table, const LeftOut& left_out, std::uint64_t seed) {
  if (table.rows.size() < kLeastRows)
    throw bad_use("a regression needs " + std::to_string(kLeastRows) + " rows, not " +
                  std::to_string(table.rows.size()));
  const LeftOut inner = inner_left_out(table, left_out);
  const std::vector<int> folds = divide(table, inner, kMostFolds, seed);
  const CrossValidation chosen = choose_kind(table, folds);
  RegressionModel model = fit_kind(table, *chosen.kind, folds);
  model.left_out_mape = chosen.mape;
  model.half_width = half_width_of(table, chosen.predicted);
  model.left_out = name(inner);
  std::set<std::string> networks;
  for (const RegressionRow& row : table.rows) networks.insert(row.network);
  networks.erase("");
  model.networks.assign(networks.begin(), networks.end());
  model.low = model.high = table.rows.front().features;
  for (const RegressionRow& row : table.rows) {
    for (std::size_t f = 0; f < row.features.size(); ++f) {
      model.low[f] = std::min(model.low[f], row.features[f]);
      model.high[f] = std::max(model.high[f], row.features[f]);
    }
  }
  return model;
}

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
