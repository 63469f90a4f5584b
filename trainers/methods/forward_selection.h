#pragma once
// Sequential forward selection: which columns a linear regression should have. Beginning with the first, the
// column is added that lowers the error of cross-validation most, until no more lowers it.

#include <Eigen/Core>
#include <vector>

namespace layersim {

struct SelectionOptions {
  int most_columns = 60;
  // A further column must lower the error by this share within the next few steps.
  double least_gain = 0.002;
  // Only columns with which no coefficient but the first column's is below zero in any fold.
  bool nonnegative = false;
};

// Indices in the order of their choice, column 0 first. `folds`: of each row, from 0; each is predicted by
// the rows of all others (-1: only ever learned from). The error is the mean square of x b - y.
[[nodiscard]] std::vector<Eigen::Index> select_forward(const Eigen::MatrixXd& x, const Eigen::VectorXd& y,
                                                       const std::vector<int>& folds,
                                                       const SelectionOptions& options);

}  // namespace layersim
