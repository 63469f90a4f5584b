#include "sim/predictors/stream_limits.h"

#include <algorithm>

namespace layersim {
namespace {

constexpr double kFastest = 0.5;  // a tensor may still be in a cache
constexpr double kSlowest = 10;
// Traffic does not tell of shorter ones, but their kernels do. A gradient may be several (of a slice: zeros,
// a copy and a sum), and a slow host launches each.
constexpr double kShortMs = 0.05;
constexpr double kShortGradientMs = 1;

}  // namespace

double limited_stream_ms(double ms, double sheet_ms, bool is_gradient) {
  return std::clamp(ms, kFastest * sheet_ms,
                    std::max(kSlowest * sheet_ms, is_gradient ? kShortGradientMs : kShortMs));
}

}  // namespace layersim
