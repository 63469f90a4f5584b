#include "sim/cli/import_checks.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "hwdb/device_db.h"
#include "hwdb/device_keys.h"
#include "sim/core/error.h"
#include "sim/features/device_precisions.h"
#include "sim/runs/run_table.h"
#include "trainers/dataset.h"

namespace layersim {
namespace {

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

// Columns of published tables of runs that mean what they mean to validate. Names of networks and ways to
// share a batch are those of their authors.
constexpr std::array<std::string_view, 7> kPublished = {"gpu",       "batch",  "mode",         "precision",
                                                        "optimizer", "n_gpus", "micro_batches"};

// What validate would see of the row.
void check_run(const std::function<void(const RunFields&)>& check, const Table& rows, std::size_t row) {
  const bool is_published = rows.find("network") == nullptr;
  if (is_published && rows.text("model", row).empty()) throw bad_input("column 'model': is empty");
  std::vector<std::string> texts;
  texts.reserve(rows.columns().size());  // views stay valid
  RunFields fields;
  for (const Column& column : rows.columns()) {
    const std::string& name = column.spec.name;
    if (is_published && std::find(kPublished.begin(), kPublished.end(), name) == kPublished.end()) continue;
    fields.emplace_back(name, texts.emplace_back(column.field(row)));
  }
  check(fields);
}

}  // namespace

ImportChecks import_checks(const std::optional<Device>& own, Warnings& warnings) {
  const std::vector<Device> own_devices = own ? std::vector{*own} : std::vector<Device>{};
  const auto gpus = std::make_shared<DeviceKeys>();
  const auto check_layer = [=, &warnings](const std::string& file, const Table& rows, std::size_t row) {
    check_layer_row(rows, row);
    const std::string gpu(rows.text("gpu", row));
    if ((!own || own->key != gpu) && !gpus->find_known(gpu))
      warnings.add(file + ": no device is named '" + gpu + "': its rows are used with --gpu-file alone");
  };
  std::map<std::string, std::function<void(const RunFields&)>> of_files;
  const auto check_run_row = [=](const std::string& file, const Table& rows, std::size_t row) mutable {
    auto& check = of_files[file];
    if (!check) check = run_row_check(file, own_devices);
    check_run(check, rows, row);
  };
  const auto check_precision_of = [own](std::string_view gpu, std::string_view precision) {
    check_row_precision(own, gpu, precision);
  };
  return {.layer = check_layer, .run = check_run_row, .precision = check_precision_of};
}

}  // namespace layersim
