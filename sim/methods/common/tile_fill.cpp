#include "sim/methods/common/tile_fill.h"

#include <algorithm>
#include <cmath>

namespace layersim {
namespace {

constexpr double kTileRows = 128;
constexpr double kTileColumns = 32;

double size(const Problem& problem, std::string_view name) {
  return static_cast<double>(std::max<std::int64_t>(problem.size(name), 1));
}

double product_of(const Problem& problem, std::initializer_list<std::string_view> names) {
  double product = 1;
  for (const std::string_view name : names) product *= size(problem, name);
  return product;
}

}  // namespace

double tile_fill(const Problem& problem, Pass pass, double multiprocessors) {
  const double groups = size(problem, "groups");
  const double in_channels = size(problem, "in_channels") / groups;
  const double out_channels = size(problem, "out_channels") / groups;
  double rows = product_of(problem, {"batch", "out_d", "out_h", "out_w"});
  double columns = out_channels;
  if (pass == Pass::backward_data) {
    rows = product_of(problem, {"batch", "in_d", "in_h", "in_w"});
    columns = in_channels;
  } else if (pass == Pass::backward_weight) {
    rows = in_channels * product_of(problem, {"kernel_d", "kernel_h", "kernel_w"});
  }
  const double row_tiles = std::ceil(rows / kTileRows);
  const double column_tiles = std::ceil(columns / kTileColumns);
  const double used = rows * columns / (row_tiles * kTileRows * column_tiles * kTileColumns);
  if (pass == Pass::backward_weight) return used;
  const double waves = groups * row_tiles * column_tiles / multiprocessors;
  return used * waves / std::ceil(waves);
}

}  // namespace layersim
