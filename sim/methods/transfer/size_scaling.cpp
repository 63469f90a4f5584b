#include "sim/methods/transfer/size_scaling.h"

#include "sim/core/error.h"
#include "sim/core/strict_json.h"

namespace layersim {
namespace {

double amount(SizeAxis axis, double size) { return axis == SizeAxis::pixel ? size * size : size; }

}  // namespace

double scaled_size(SizeAxis axis, double smallest, double largest, double size) {
  return (amount(axis, size) - amount(axis, smallest)) / (amount(axis, largest) - amount(axis, smallest));
}

double scale_time(const SizeScaling& scaling, const SizedTime& smallest, const SizedTime& largest,
                  double size) {
  if (!(smallest.size < largest.size && smallest.size <= size && size <= largest.size)) {
    throw bad_use("a size of " + number_text(size) + " does not lie between " + number_text(smallest.size) +
                  " and " + number_text(largest.size));
  }
  const double x = scaled_size(scaling.axis, smallest.size, largest.size, size);
  const double y = x + scaling.curvature * x * (x - 1);
  return smallest.time_ms + (largest.time_ms - smallest.time_ms) * y;
}

}  // namespace layersim
