#include "sim/store/conv_windows.h"

#include <limits>
#include <string>

#include "sim/core/error.h"

namespace layersim {
namespace {

// Sizes that are missing are told by whoever needs them.
constexpr double kUnknown = std::numeric_limits<double>::infinity();

// The column of one axis, and that of square problems for the rows that lack it.
class AxisColumn {
 public:
  AxisColumn(const Table& table, const std::string& of_axis, const std::string& square)
      : of_axis_(table.find(of_axis)), square_(table.find(square)) {}

  [[nodiscard]] const Column* column(std::size_t row) const {
    return of_axis_ != nullptr && !of_axis_->is_missing(row) ? of_axis_ : square_;
  }

  [[nodiscard]] double at(std::size_t row, double fallback) const {
    const Column* const found = column(row);
    return found == nullptr || found->is_missing(row) ? fallback : found->numbers[row];
  }

 private:
  const Column* of_axis_;
  const Column* square_;
};

void check_axis(const Table& table, const std::string& axis) {
  const AxisColumn inputs(table, "input" + axis, "input_size");
  const AxisColumn kernels(table, "kernel" + axis, "kernel");
  const AxisColumn pads(table, "pad" + axis, "pad");
  const AxisColumn dilations(table, "dilation" + axis, "dilation");
  const Column* const padding = table.find("padding");
  const std::int32_t same = padding == nullptr ? kMissingCode : padding->dictionary.find("same");
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const bool has_padding = padding != nullptr && !padding->is_missing(row);
    if (has_padding && padding->codes[row] == same) continue;
    const double padded = inputs.at(row, kUnknown) + (has_padding ? 0 : 2 * pads.at(row, 0));
    const double extent = (kernels.at(row, 1) - 1) * dilations.at(row, 1) + 1;
    if (extent <= padded) continue;
    throw bad_input(table.place(row) + ": column '" + kernels.column(row)->spec.name + "': a window of " +
                    format_number(extent) + " is larger than the padded input of " + format_number(padded) +
                    ": there is no output");
  }
}

}  // namespace

void check_conv_windows(const Table& table) {
  if (table.kind() != "conv") return;
  check_axis(table, "_w");
  check_axis(table, "_h");
}

}  // namespace layersim
