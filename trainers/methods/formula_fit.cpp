#include "trainers/methods/formula_fit.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "trainers/methods/forward_selection.h"

namespace layersim {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// A least-squares problem whose residuals are relative errors, or those of the logarithm.
struct LeastSquares {
  MatrixXd x;
  VectorXd y;
};

LeastSquares make_problem(const RegressionTable& table, const std::vector<Term>& terms, bool of_logarithm) {
  const auto rows = static_cast<Index>(table.rows.size());
  LeastSquares problem{MatrixXd(rows, static_cast<Index>(terms.size())), VectorXd(rows)};
  for (Index i = 0; i < rows; ++i) {
    const RegressionRow& row = table.rows[static_cast<std::size_t>(i)];
    const double scale = of_logarithm ? 1 : 1 / row.target_ms;
    for (Index j = 0; j < problem.x.cols(); ++j)
      problem.x(i, j) = scale * terms[static_cast<std::size_t>(j)].of(row.features);
    problem.y(i) = of_logarithm ? std::log(row.target_ms) : 1;
  }
  return problem;
}

// The least squares without negative coefficients, by coordinate descent on the normal equations.
VectorXd solve_nonnegative(const MatrixXd& squares, const VectorXd& products) {
  constexpr int kMostSweeps = 1000;
  constexpr double kLeastMove = 1e-9;  // of coefficients of columns of length 1
  VectorXd b = VectorXd::Zero(products.size());
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    double moved = 0;
    for (Index j = 0; j < b.size(); ++j) {
      const double before = b(j);
      b(j) = std::max(0.0, before + (products(j) - squares.row(j).dot(b)) / squares(j, j));
      moved = std::max(moved, std::fabs(b(j) - before));
    }
    if (moved < kLeastMove * b.maxCoeff()) break;
  }
  return b;
}

// Least absolute residuals, by least squares with weights that follow them: a few runs that were disturbed
// do not count more than others.
VectorXd fit(const LeastSquares& problem, bool nonnegative) {
  constexpr int kIterations = 12;
  constexpr double kLeastResidual = 0.01;
  constexpr double kRidge = 1e-10;
  const VectorXd lengths = problem.x.colwise().norm().transpose().cwiseMax(1e-300);
  const MatrixXd x = problem.x * lengths.cwiseInverse().asDiagonal();
  VectorXd weights = VectorXd::Ones(problem.y.size());
  VectorXd b;
  for (int i = 0; i < kIterations; ++i) {
    MatrixXd squares = x.transpose() * weights.asDiagonal() * x;
    squares.diagonal().array() += kRidge * squares.diagonal().maxCoeff();
    const VectorXd products = x.transpose() * (weights.asDiagonal() * problem.y);
    b = nonnegative ? solve_nonnegative(squares, products) : VectorXd(squares.ldlt().solve(products));
    const VectorXd residuals = (x * b - problem.y).cwiseAbs().cwiseMax(kLeastResidual);
    weights = residuals.cwiseInverse();
  }
  return b.cwiseQuotient(lengths);
}

std::vector<Term> candidates_of(const RegressionTable& table, const FormulaKind& kind, bool for_other_gpus) {
  std::vector<Term> terms = kind.candidates(table);
  std::erase_if(terms, [&](const Term& term) {
    return for_other_gpus && std::any_of(term.factors.begin(), term.factors.end(), [&](const Factor& factor) {
             return table.features[factor.feature].starts_with("gpu=");
           });
  });
  return terms;
}

std::vector<Term> choose_terms(const RegressionTable& table, const FormulaKind& kind,
                               const std::vector<Term>& terms, const std::vector<int>& folds) {
  if (!kind.selects) return terms;
  const LeastSquares problem = make_problem(table, terms, kind.of_logarithm);
  std::vector<Term> chosen;
  for (const Index column : select_forward(problem.x, problem.y, folds, {.nonnegative = kind.nonnegative}))
    chosen.push_back(terms[static_cast<std::size_t>(column)]);
  return chosen;
}

// Folds without that one, numbered anew.
std::vector<int> without(const std::vector<int>& folds, int fold) {
  std::vector<int> rest;
  for (const int f : folds) {
    if (f != fold) rest.push_back(f < fold ? f : f - 1);
  }
  return rest;
}

}  // namespace

RegressionModel fit_formula(const RegressionTable& table, const FormulaKind& kind,
                            const std::vector<int>& folds, bool for_other_gpus) {
  RegressionModel model;
  model.of_logarithm = kind.of_logarithm;
  model.features = table.features;
  model.least_ms = table.rows.front().target_ms / 2;
  for (const RegressionRow& row : table.rows) model.least_ms = std::min(model.least_ms, row.target_ms / 2);
  model.terms = choose_terms(table, kind, candidates_of(table, kind, for_other_gpus), folds);
  const LeastSquares problem = make_problem(table, model.terms, kind.of_logarithm);
  const VectorXd b = fit(problem, kind.nonnegative);
  for (Index j = 0; j < b.size(); ++j) model.terms[static_cast<std::size_t>(j)].coefficient = b(j);
  std::erase_if(model.terms, [](const Term& term) { return term.coefficient == 0; });
  return model;
}

RegressionTable rows_of_part(const RegressionTable& table, const std::vector<int>& parts, int part,
                             bool inside) {
  RegressionTable selected{table.features, {}};
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    if ((parts[i] == part) == inside) selected.rows.push_back(table.rows[i]);
  }
  return selected;
}

std::vector<double> cross_predict(const RegressionTable& table, const FormulaKind& kind,
                                  const std::vector<int>& folds, bool for_other_gpus) {
  std::vector<double> predicted(table.rows.size());
  const int count = *std::max_element(folds.begin(), folds.end()) + 1;
  for (int fold = 0; fold < count; ++fold) {
    const RegressionModel model =
        fit_formula(rows_of_part(table, folds, fold, false), kind, without(folds, fold), for_other_gpus);
    for (std::size_t i = 0; i < folds.size(); ++i) {
      if (folds[i] == fold) predicted[i] = model.formula_ms(table.rows[i].features);
    }
  }
  return predicted;
}

}  // namespace layersim
