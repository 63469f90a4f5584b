#include "sim/cli/import_checks.h"

#include <memory>
#include <string>
#include <vector>

#include "hwdb/device_db.h"
#include "hwdb/device_keys.h"
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

// Names of published tables are those of their authors.
void check_run_row(const std::string& file, const std::vector<Device>& own, const Table& rows,
                   std::size_t row) {
  if (rows.text("network", row).empty() && rows.text("model", row).empty())
    throw bad_input(std::string("column '") + (rows.find("network") != nullptr ? "network" : "model") +
                    "' is empty");
  check_run_texts(file, own, [&](std::string_view column) { return rows.text(column, row); });
}

}  // namespace

ImportChecks import_checks(const std::optional<Device>& own, Warnings& warnings) {
  const std::vector<Device> own_devices = own ? std::vector{*own} : std::vector<Device>{};
  const auto gpus = std::make_shared<DeviceKeys>();
  const auto check_row = [=, &warnings](const std::string& file, const Table& rows, std::size_t row) {
    if (is_of_runs(rows)) return check_run_row(file, own_devices, rows, row);
    check_layer_row(rows, row);
    const std::string gpu(rows.text("gpu", row));
    if ((!own || own->key != gpu) && !gpus->find_known(gpu))
      warnings.add(file + ": no device is named '" + gpu + "': its rows are used with --gpu-file alone");
  };
  const auto check_precision_of = [own](std::string_view gpu, std::string_view precision) {
    check_row_precision(own, gpu, precision);
  };
  return {.row = check_row, .precision = check_precision_of};
}

}  // namespace layersim
