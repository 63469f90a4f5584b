#include "sim/cli/import_checks.h"

#include <string>
#include <vector>

#include "hwdb/device_db.h"
#include "sim/core/error.h"
#include "sim/features/device_precisions.h"
#include "sim/runs/run_table.h"
#include "sim/store/table_kind.h"
#include "trainers/dataset.h"

namespace layersim {
namespace {

bool is_of_runs(const Table& rows) {
  const TableKind* const kind = find_table_kind(rows.kind());
  return kind != nullptr && kind->group == TableGroup::runs;
}

// A device that no file tells of may come with train and evaluate.
void check_row_precision(const std::optional<Device>& own, std::string_view gpu, std::string_view precision) {
  const auto parsed = parse_precision(precision);
  const auto known = DeviceDb().find_known(gpu);
  const bool is_own = own && own->key == (known ? known->key : gpu);
  if (!parsed || (!known && !is_own)) return;
  try {
    check_precision(is_own ? *own : *known, *parsed);
  } catch (const Error& error) {
    throw bad_input(error.what());
  }
}

}  // namespace

ImportChecks import_checks(const std::optional<Device>& own) {
  const auto check_row = [own](const std::string& file, const Table& rows, std::size_t row) {
    if (!is_of_runs(rows)) return check_layer_row(rows, row);
    check_run_texts(file, own ? std::vector{*own} : std::vector<Device>{},
                    [&](std::string_view column) { return rows.text(column, row); });
  };
  const auto check_precision_of = [own](std::string_view gpu, std::string_view precision) {
    check_row_precision(own, gpu, precision);
  };
  return {.row = check_row, .precision = check_precision_of};
}

}  // namespace layersim
