#pragma once
// The period of a training in a log of device metrics: epochs leave marks (a dip between two of them, a
// validation pass, a change of power), which repeat. Each metric is looked at by its autocorrelation at
// several smoothings, after its slow drift is taken off and its outliers are limited; where noise hides it,
// by folding the log at every period that fits. The metric that shows a period best counts.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/methods/telemetry/telemetry_log.h"

namespace layersim {

struct PeriodFound {
  double period_s = 0;
  double strength = 0;  // autocorrelation at the period, 0 to 1
  std::string may_be;   // "epoch", "evaluation or checkpoint every 4 of the shorter period" ...
};

struct EpochsFound {
  std::string metric;  // that shows them; empty when no period was found
  std::optional<double> period_s;
  int epochs = 0;         // between boundaries
  double confidence = 0;  // 0 to 1; below kSure the answer is a guess, below kTold there is none
  std::vector<double>
      boundaries_s;           // begins of epochs and the end of the last, in seconds since the first line
  double active_begin_s = 0;  // without an idle head and tail
  double active_end_s = 0;
  std::vector<PeriodFound> periods;  // all, the one above first
  std::vector<std::string> warnings;

  static constexpr double kSure = 0.3;
  // Of generated logs, periods in mere noise stay below it (18 logs, 0.06 at most) and right ones at noise of
  // 30 % above (32 logs, 0.11 at least).
  static constexpr double kTold = 0.1;
};

[[nodiscard]] EpochsFound find_epochs(const TelemetryLog& log);

}  // namespace layersim
