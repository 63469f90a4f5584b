#pragma once
// What the methods are held against on the same runs: two models with next to nothing to learn.

#include <string>
#include <string_view>
#include <vector>

#include "sim/methods/regression/regression_table.h"

namespace layersim {

// roofline: that of the device sheet, layer by layer (roofline_time.h). paleo: in the manner of Qi et al.,
// "Paleo: a performance model for deep neural networks", 2017: operations over peak plus bytes over
// bandwidth, divided by the share of both that the software reaches (the median over the runs to learn from),
// plus the exchange of gradients over the link.
class PlainModels {
 public:
  // Learns from all rows. A table without the features of networks has no such baselines.
  explicit PlainModels(const RegressionTable& table);

  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  // Parallel to names().
  [[nodiscard]] std::vector<double> predict_ms(const RegressionRow& row) const;

 private:
  [[nodiscard]] double value(const RegressionRow& row, std::string_view name) const;
  [[nodiscard]] double sheet_ms(const RegressionRow& row) const;
  [[nodiscard]] double exchange_ms(const RegressionRow& row) const;

  std::vector<std::string> features_;
  std::vector<std::string> names_;
  double reached_ = 1;
};

}  // namespace layersim
