#include "sim/store/size_columns.h"

#include <algorithm>
#include <array>

#include "sim/core/error.h"
#include "sim/core/parse_number.h"
#include "sim/store/conv_windows.h"
#include "sim/store/flag_columns.h"
#include "sim/store/table_kind.h"

namespace layersim {
namespace {

using namespace std::string_view_literals;

constexpr std::array kSizes = {
    "batch"sv,
    "cols"sv,
    "dilation"sv,
    "dilation_d"sv,
    "dilation_h"sv,
    "dilation_w"sv,
    "directions"sv,
    "elements"sv,
    "elements_written"sv,
    "gemm_batch"sv,
    "groups"sv,
    "head_size"sv,
    "heads"sv,
    "hidden"sv,
    "in_channels"sv,
    "in_d"sv,
    "in_elements"sv,
    "in_features"sv,
    "in_h"sv,
    "in_w"sv,
    "input_h"sv,
    "input_size"sv,
    "input_w"sv,
    "k"sv,
    "kernel"sv,
    "kernel_d"sv,
    "kernel_h"sv,
    "kernel_w"sv,
    "key_length"sv,
    "kv_heads"sv,
    "lookups"sv,
    "m"sv,
    "matrices_a"sv,
    "matrices_b"sv,
    "n"sv,
    "n_gpus"sv,
    "n_inputs"sv,
    "operand_elements"sv,
    "operands"sv,
    "out_channels"sv,
    "out_elements"sv,
    "out_features"sv,
    "profiled_steps"sv,
    "query_length"sv,
    "rows"sv,
    "size_floats"sv,
    "steps"sv,
    "stride"sv,
    "stride_d"sv,
    "stride_h"sv,
    "stride_w"sv,
    "table_rows"sv,
    "taps"sv,
    "timesteps"sv,
    "value_head_size"sv,
    "width"sv,
};

// A size that is missing is none.
void check_size(const Table& table, const Column& column, std::size_t row) {
  const double size = column.numbers[row];
  if (size < 1) {
    throw bad_input(table.place(row) + ": column '" + column.spec.name + "' is 0, but a size is at least 1");
  }
  if (column.spec.name == "n_gpus" && size > 1 && table.kind() != "allreduce") {
    throw bad_input(table.place(row) + ": column 'n_gpus': a layer is measured on one device, not " +
                    format_number(size));
  }
  if (column.spec.name == "batch" && size > static_cast<double>(kMostSamples)) {
    throw bad_input(table.place(row) + ": column 'batch': a batch is at most " +
                    std::to_string(kMostSamples) + ", not " + format_number(size));
  }
}

}  // namespace

bool is_size_column(std::string_view name) {
  return std::find(kSizes.begin(), kSizes.end(), name) != kSizes.end();
}

void check_sizes(const Table& table) {
  check_flags(table);
  const TableKind* kind = find_table_kind(table.kind());
  const bool is_of_runs = kind != nullptr && kind->group == TableGroup::runs;
  for (const Column& column : table.columns()) {
    if (column.is_text() || !is_size_column(column.spec.name)) continue;
    if (is_of_runs && column.spec.name != "profiled_steps") continue;
    for (std::size_t row = 0; row < table.rows(); ++row) check_size(table, column, row);
  }
  check_conv_windows(table);
}

}  // namespace layersim
