#pragma once
// What a formula may be made of. Many terms fit best inside the range of the rows; few that can only add up
// hold further outside, and of a device that no row is of only those tell something that are physical ratios:
// work over a rate of the device.

#include <span>
#include <string_view>
#include <vector>

#include "sim/methods/regression/regression_model.h"
#include "sim/methods/regression/regression_table.h"

namespace layersim {

struct FormulaKind {
  std::string_view name;
  // The constant first; of features that vary in the rows. None where the kind does not fit the table.
  std::vector<Term> (*candidates)(const RegressionTable& table);
  bool of_logarithm = false;
  bool nonnegative = false;  // no coefficient below 0
  bool selects = true;       // among the candidates; else all are taken
};

// The simplest first:
// - "step": what a step spends its time on, all of it: launches, arithmetic, traffic of the memory, and
//   instructions. Of tables of runs alone.
// - "parts": a sum of parts that are never negative, namely features, work over rates of the device
//   ("conv_gb / bandwidth_gb_s"), and either for some of the rows ("kernels * gpu=k80")
// - "sum": features, their inverses and logarithms (where above 0 in all rows) and products of two (of three
//   where features are few), among them a rate of the device only as work over the rate
// - "logarithm": the same of the logarithm of the time
[[nodiscard]] std::span<const FormulaKind> formula_kinds();

// Whether a feature is a rate of the device, by the unit in its name.
[[nodiscard]] bool is_device_rate(std::string_view feature);

}  // namespace layersim
