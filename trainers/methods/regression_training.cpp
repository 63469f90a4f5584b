#include "trainers/methods/regression_training.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "sim/core/error.h"
#include "sim/methods/telemetry/signal.h"
#include "trainers/methods/forward_selection.h"
#include "trainers/methods/plain_models.h"

namespace layersim {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t kLeastRows = 10;
constexpr int kMostFolds = 8;
constexpr double kInterval = 0.9;

bool is_choice(const std::string& feature) { return feature.find('=') != std::string::npos; }

bool varies(const RegressionTable& table, std::size_t feature) {
  return std::any_of(table.rows.begin(), table.rows.end(), [&](const RegressionRow& row) {
    return row.features[feature] != table.rows.front().features[feature];
  });
}

bool is_positive(const RegressionTable& table, std::size_t feature) {
  return std::all_of(table.rows.begin(), table.rows.end(),
                     [&](const RegressionRow& row) { return row.features[feature] > 0; });
}

// The constant first.
std::vector<Term> candidates(const RegressionTable& table) {
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

// Least absolute residuals, by least squares with weights that follow them: a few runs that were disturbed
// do not count more than others. Rows with weight 0 do not count.
VectorXd fit(const Problem& problem, const VectorXd& use) {
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
    b = squares.ldlt().solve(x.transpose() * (weights.asDiagonal() * problem.y));
    const VectorXd residuals = (x * b - problem.y).cwiseAbs().cwiseMax(kLeastResidual);
    weights = use.cwiseQuotient(residuals);
  }
  return b.cwiseQuotient(lengths);
}

void set_coefficients(RegressionModel& model, const VectorXd& b) {
  for (Index j = 0; j < b.size(); ++j) model.terms[static_cast<std::size_t>(j)].coefficient = b(j);
}

// Each row's prediction by the other folds, with the terms that are chosen.
std::vector<double> cross_predict(const RegressionTable& table, RegressionModel model,
                                  const std::vector<int>& folds) {
  const Problem problem = make_problem(table, model.terms, model.of_logarithm);
  std::vector<double> predicted(table.rows.size());
  const int count = *std::max_element(folds.begin(), folds.end()) + 1;
  for (int fold = 0; fold < count; ++fold) {
    VectorXd use(problem.y.size());
    for (std::size_t i = 0; i < folds.size(); ++i) use(static_cast<Index>(i)) = folds[i] == fold ? 0 : 1;
    set_coefficients(model, fit(problem, use));
    for (std::size_t i = 0; i < folds.size(); ++i) {
      if (folds[i] == fold) predicted[i] = model.predict_ms(table.rows[i].features);
    }
  }
  return predicted;
}

double mape_of(const RegressionTable& table, const std::vector<double>& predicted) {
  double sum = 0;
  for (std::size_t i = 0; i < predicted.size(); ++i)
    sum += std::fabs(predicted[i] / table.rows[i].target_ms - 1);
  return sum / static_cast<double>(predicted.size());
}

// With terms and error, the coefficients fitted to all rows.
RegressionModel fit_form(const RegressionTable& table, const std::vector<Term>& terms,
                         const std::vector<int>& folds, bool of_logarithm) {
  RegressionModel model;
  model.of_logarithm = of_logarithm;
  model.features = table.features;
  model.least_ms = table.rows.front().target_ms / 2;
  for (const RegressionRow& row : table.rows) model.least_ms = std::min(model.least_ms, row.target_ms / 2);
  const Problem problem = make_problem(table, terms, of_logarithm);
  for (const Index column : select_forward(problem.x, problem.y, folds, {}))
    model.terms.push_back(terms[static_cast<std::size_t>(column)]);
  const std::vector<double> predicted = cross_predict(table, model, folds);
  model.left_out_mape = mape_of(table, predicted);
  std::vector<double> distances;
  for (std::size_t i = 0; i < predicted.size(); ++i)
    distances.push_back(std::fabs(std::log(predicted[i] / table.rows[i].target_ms)));
  model.half_width = quantile_of(distances, kInterval);
  const Problem chosen = make_problem(table, model.terms, of_logarithm);
  set_coefficients(model, fit(chosen, VectorXd::Ones(chosen.y.size())));
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

// What to leave out where only one of these is left: single configurations.
LeftOut inner_left_out(const RegressionTable& table, const LeftOut& left_out) {
  return groups_of(table, left_out).size() > 1 ? left_out : LeftOut{};
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
  const std::vector<int> folds = divide(table, left_out, kMostFolds, seed);
  const std::vector<Term> terms = candidates(table);
  RegressionModel plain = fit_form(table, terms, folds, false);
  RegressionModel logarithm = fit_form(table, terms, folds, true);
  RegressionModel model = std::move(plain.left_out_mape <= logarithm.left_out_mape ? plain : logarithm);
  model.left_out = name(left_out);
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

RegressionModel train_regression(const RegressionTable& table, const LeftOut& left_out, std::uint64_t seed,
                                 const std::function<void(int part, int parts)>& report) {
  RegressionModel model = fit_regression(table, left_out, seed);
  const ErrorTable errors = evaluate_regression_left_out(table, left_out, seed, report);
  model.left_out_mape = group_rows(errors, 0, 0).front().errors.mape;
  std::vector<double> distances;
  for (const ErrorRow& row : errors.rows)
    distances.push_back(std::fabs(std::log(row.predicted_ms / row.measured_ms)));
  model.half_width = quantile_of(distances, kInterval);
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
