#include "trainers/methods/forward_selection.h"

#include <Eigen/Dense>
#include <algorithm>
#include <limits>

namespace layersim {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kRidge = 1e-9;     // of columns of length 1
constexpr double kLeastNew = 1e-6;  // of a column's square that the chosen ones do not explain
constexpr double kUnfit = std::numeric_limits<double>::infinity();

// Sums of products over a set of rows: what least squares with one more column needs.
struct Products {
  VectorXd squares;  // of each column
  VectorXd with_y;   // of each column and y
  double y_square = 0;
  MatrixXd with_chosen;  // chosen columns x all columns
};

Products over(const MatrixXd& x, const VectorXd& y) {
  return {x.colwise().squaredNorm().transpose(), x.transpose() * y, y.squaredNorm(), MatrixXd(0, x.cols())};
}

void add_chosen(Products& products, const MatrixXd& x, Index column) {
  const Index count = products.with_chosen.rows();
  products.with_chosen.conservativeResize(count + 1, Eigen::NoChange);
  products.with_chosen.row(count) = x.col(column).transpose() * x;
}

Products difference(const Products& all, const Products& part) {
  return {all.squares - part.squares, all.with_y - part.with_y, all.y_square - part.y_square,
          all.with_chosen - part.with_chosen};
}

MatrixXd of_chosen(const MatrixXd& with_chosen, const std::vector<Index>& chosen) {
  MatrixXd result(with_chosen.rows(), static_cast<Index>(chosen.size()));
  for (std::size_t i = 0; i < chosen.size(); ++i)
    result.col(static_cast<Index>(i)) = with_chosen.col(chosen[i]);
  return result;
}

VectorXd of_chosen(const VectorXd& values, const std::vector<Index>& chosen) {
  VectorXd result(static_cast<Index>(chosen.size()));
  for (std::size_t i = 0; i < chosen.size(); ++i) result(static_cast<Index>(i)) = values(chosen[i]);
  return result;
}

// Adds to `errors` of each column the squared errors over the fold, fitted to the other rows with the chosen
// columns and that one. By the border of the chosen columns' Cholesky factor.
void add_fold_errors(const Products& all, const Products& fold, const std::vector<Index>& chosen,
                     bool nonnegative, VectorXd& errors) {
  const Products others = difference(all, fold);
  MatrixXd squares = of_chosen(others.with_chosen, chosen);
  squares.diagonal().array() += kRidge;
  const Eigen::LLT<MatrixXd> factor(squares);
  const MatrixXd border = factor.matrixL().solve(others.with_chosen);
  const VectorXd known = factor.matrixL().solve(of_chosen(others.with_y, chosen));
  const VectorXd left = others.squares - border.colwise().squaredNorm().transpose();
  const VectorXd numerator = others.with_y - border.transpose() * known;

  VectorXd own = VectorXd::Zero(left.size());  // coefficient of the column itself
  for (Index j = 0; j < left.size(); ++j) {
    if (left(j) > kLeastNew * others.squares(j) && left(j) > 0) own(j) = numerator(j) / (left(j) + kRidge);
  }
  const MatrixXd coefficients =
      factor.matrixU().solve((known.replicate(1, left.size()) - border * own.asDiagonal()).eval());
  const MatrixXd fold_squares = of_chosen(fold.with_chosen, chosen);
  const VectorXd fold_y = of_chosen(fold.with_y, chosen);
  for (Index j = 0; j < left.size(); ++j) {
    const auto b = coefficients.col(j);
    if (own(j) == 0 || (nonnegative && (own(j) < 0 || (b.tail(b.size() - 1).array() < 0).any()))) {
      errors(j) = kUnfit;
      continue;
    }
    errors(j) += fold.y_square - 2 * (b.dot(fold_y) + own(j) * fold.with_y(j)) + b.dot(fold_squares * b) +
                 2 * own(j) * b.dot(fold.with_chosen.col(j)) + own(j) * own(j) * fold.squares(j);
  }
}

MatrixXd rows_of(const MatrixXd& x, const std::vector<Index>& rows) {
  MatrixXd part(static_cast<Index>(rows.size()), x.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) part.row(static_cast<Index>(i)) = x.row(rows[i]);
  return part;
}

class Selection {
 public:
  Selection(const MatrixXd& x, const VectorXd& y, const std::vector<int>& folds)
      : x_(x), lengths_(x.colwise().norm().transpose().cwiseMax(1e-300)) {
    x_ = x_ * lengths_.cwiseInverse().asDiagonal();
    all_ = over(x_, y);
    const int count = *std::max_element(folds.begin(), folds.end()) + 1;
    for (int fold = 0; fold < count; ++fold) {
      std::vector<Index> rows;
      for (std::size_t i = 0; i < folds.size(); ++i) {
        if (folds[i] == fold) rows.push_back(static_cast<Index>(i));
      }
      parts_.push_back(rows_of(x_, rows));
      folds_.push_back(over(parts_.back(), of_chosen(y, rows)));
    }
    choose(0);
  }

  void choose(Index column) {
    chosen_.push_back(column);
    add_chosen(all_, x_, column);
    for (std::size_t i = 0; i < folds_.size(); ++i) add_chosen(folds_[i], parts_[i], column);
  }
  // The best further column and the squared error with it, kUnfit where there is none.
  [[nodiscard]] std::pair<Index, double> best(bool nonnegative) const {
    VectorXd errors = VectorXd::Zero(x_.cols());
    for (const Products& fold : folds_) add_fold_errors(all_, fold, chosen_, nonnegative, errors);
    Index column = 0;
    const double error = errors.minCoeff(&column);
    return {column, error};
  }
  [[nodiscard]] const std::vector<Index>& chosen() const { return chosen_; }

 private:
  MatrixXd x_;  // columns of length 1
  VectorXd lengths_;
  Products all_;
  std::vector<MatrixXd> parts_;
  std::vector<Products> folds_;
  std::vector<Index> chosen_;
};

}  // namespace

std::vector<Index> select_forward(const MatrixXd& x, const VectorXd& y, const std::vector<int>& folds,
                                  const SelectionOptions& options) {
  constexpr int kPatience = 4;
  Selection selection(x, y, folds);
  double least = kUnfit;
  std::size_t kept = 1;
  while (static_cast<int>(selection.chosen().size()) < options.most_columns) {
    const auto [column, error] = selection.best(options.nonnegative);
    if (!(error < kUnfit)) break;
    selection.choose(column);
    if (error < least * (1 - options.least_gain)) {
      least = error;
      kept = selection.chosen().size();
    } else if (selection.chosen().size() >= kept + kPatience) {
      break;
    }
  }
  std::vector<Index> chosen = selection.chosen();
  chosen.resize(kept);
  return chosen;
}

}  // namespace layersim
