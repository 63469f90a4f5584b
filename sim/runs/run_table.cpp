#include "sim/runs/run_table.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <map>

#include "hwdb/device_db.h"
#include "sim/core/error.h"
#include "sim/core/parse_number.h"
#include "sim/features/device_precisions.h"
#include "sim/graph/binding_text.h"
#include "sim/runs/time_field.h"
#include "sim/store/csv_reader.h"
#include "sim/store/flag_columns.h"
#include "sim/zoo/zoo.h"

namespace layersim {
namespace {

constexpr std::int64_t kMostGpus = 1'000'000;

std::string shown(std::string_view text) { return "'" + std::string(text.substr(0, 60)) + "'"; }

template <typename Enum>
Enum parse_name(std::string_view text, std::optional<Enum> (*parse)(std::string_view),
                std::span<const std::string_view> names) {
  if (const auto value = parse(text)) return *value;
  std::string list;
  for (const std::string_view name : names) list.append(list.empty() ? "" : ", ").append(name);
  throw bad_input(shown(text) + " is none of " + list);
}

// 0 counts as 1 for a CPU, which is no GPU.
void settle_device_count(Run& run) {
  int& devices = run.parallel.cluster.devices;
  if (devices > 0) return;
  if (run.device->device_type != "cpu") {
    throw bad_input("0 is for CPUs: " + run.device->key + " is a GPU, of which a run takes at least 1");
  }
  devices = 1;
}

std::string in_column(std::string_view name) { return "column '" + std::string(name) + "'"; }

// Runs `body`; whatever is wrong with a row is wrong with the file.
template <typename Body>
void with_bad_input(const std::string& place, Body&& body) {
  try {
    std::forward<Body>(body)();
  } catch (const Error& error) {
    throw bad_input(place + ": " + error.what());
  }
}

// "64.0" as well: how tables with missing fields come out of common tools.
std::string_view whole(std::string_view field) {
  return field.ends_with(".0") ? field.substr(0, field.size() - 2) : field;
}

void for_each_part(std::string_view list, const std::function<void(const std::string&)>& use) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(';'), list.size());
    if (end > 0) use(std::string(list.substr(0, end)));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
}

class RunReader {
 public:
  RunReader(const std::string& file, const std::vector<Device>& own_devices)
      : folder_(std::filesystem::path(file).parent_path()) {
    for (const Device& device : own_devices) devices_[device.key] = std::make_shared<const Device>(device);
  }

  // `column` names the field in errors.
  void set(Run& run, std::string_view column, std::string_view field) {
    if (column == "network") {
      run.network_name = required(field);
      run.network = find_network(run.network_name);
    } else if (column == "gpu") {
      run.device = find_device(required(field));
    } else if (column == "batch") {
      run.batch = parse_batch("a batch", whole(required(field)));
    } else if (column == "measured_ms") {
      run.measured_ms = parse_time_ms(required(field), TimeOf::step);
    } else if (column == "stack" || column == "framework") {
      run.stack = field;
    } else if (column == "optimizer" && field.empty()) {
      run.optimizer = Optimizer::none;
    } else if (field.empty()) {
      return;  // the default of the column
    } else if (column == "precision") {
      run.precision = parse_name(field, parse_precision, precision_names());
    } else if (column == "mode") {
      run.mode = parse_name(field, parse_mode, mode_names());
    } else if (column == "optimizer") {
      run.optimizer = parse_name(field, parse_optimizer, optimizer_names());
    } else if (column == "n_gpus") {
      run.parallel.cluster.devices =
          static_cast<int>(parse_count("the number of GPUs", whole(field), 0, kMostGpus));
    } else if (column == "nodes") {
      run.parallel.cluster.hosts =
          static_cast<int>(parse_count("the number of hosts", whole(field), 1, kMostGpus));
    } else if (column == "interconnect") {
      run.parallel.cluster.interconnects = field;
    } else if (column == "parallel") {
      run.parallel.kind = parse_name(field, parse_parallelism, parallelism_names());
    } else if (column == "micro_batches") {
      run.parallel.micro_batches = parse_count("micro-batches", whole(field), 1);
    } else if (column == "dim") {
      for_each_part(field, [&](const std::string& part) { bind_dim(run.bindings, "an axis", part); });
    } else if (column == "input") {
      for_each_part(field, [&](const std::string& part) { bind_input(run.bindings, "an input", part); });
    } else if (is_flag_column(column)) {
      check_flag(field);
    }
  }

  // A row: each column's field, then what several of them say together.
  void set_all(Run& run, const RunFields& fields) {
    for (const auto& each : fields)
      with_bad_input(in_column(each.first), [&] { set(run, each.first, each.second); });
    if (run.precision)
      with_bad_input(in_column("precision"), [&] { check_precision(*run.device, *run.precision); });
    with_bad_input(in_column("n_gpus"), [&] { settle_device_count(run); });
    if (run.mode == Mode::forward) run.optimizer = Optimizer::none;
    if (run.parallel.cluster.devices == 1 || run.parallel.kind != Parallelism::pp)
      run.parallel.micro_batches.reset();  // other runs of the table have them
    const auto& cluster = run.parallel.cluster;
    const bool is_even = cluster.devices % cluster.hosts == 0;
    with_bad_input(in_column(is_even ? "interconnect" : "nodes"),
                   [&] { run.plan = make_plan(run.parallel, *run.device, run.batch); });
  }

 private:
  static std::string required(std::string_view field) {
    if (field.empty()) throw bad_input("is empty");
    return std::string(field);
  }

  std::string find_network(const std::string& name) {
    auto [entry, is_new] = networks_.try_emplace(name);
    if (!is_new) return entry->second;
    const std::filesystem::path file = folder_ / name;
    std::error_code ignored;
    if (std::filesystem::is_regular_file(file, ignored)) return entry->second = file.string();
    if (find_zoo_network(name) != nullptr) return entry->second = name;
    networks_.erase(entry);
    throw bad_input(shown(name) + " is neither a file beside the table nor a network of the zoo");
  }

  std::shared_ptr<const Device> find_device(const std::string& name) {
    std::shared_ptr<const Device>& device = devices_[name];
    if (device == nullptr) device = std::make_shared<const Device>(device_db_.find(name));
    return device;
  }

  std::filesystem::path folder_;
  DeviceDb device_db_;
  std::map<std::string, std::string> networks_;
  std::map<std::string, std::shared_ptr<const Device>> devices_;
};

void check_columns(const std::vector<std::string>& columns, bool measured) {
  const auto has = [&](std::string_view name) {
    return std::find(columns.begin(), columns.end(), name) != columns.end();
  };
  for (const std::string_view name : {"network", "gpu", "batch", "measured_ms"}) {
    if (!has(name) && (measured || name != "measured_ms"))
      throw bad_input("has no column '" + std::string(name) + "'");
  }
  if (has("stack") && has("framework")) {
    throw bad_input("columns 'stack' and 'framework' mean the same: leave one out");
  }
}

RunTable read(const std::string& file, const std::vector<Device>& own_devices, bool measured) {
  CsvReader csv(file);
  RunTable table{file, csv.header(), {}};
  check_columns(table.columns, measured);
  RunReader reader(file, own_devices);
  while (csv.next()) {
    Run& run = table.runs.emplace_back();
    run.line = csv.line();
    run.row.assign(csv.fields().begin(), csv.fields().end());
    RunFields fields;
    for (std::size_t i = 0; i < run.row.size(); ++i) {
      if (measured || table.columns[i] != "measured_ms") fields.emplace_back(table.columns[i], run.row[i]);
    }
    with_bad_input("line " + std::to_string(run.line), [&] { reader.set_all(run, fields); });
  }
  if (table.runs.empty()) throw bad_input("has no rows");
  return table;
}

}  // namespace

std::string RunTable::place(const Run& run) const { return file + ": line " + std::to_string(run.line); }

std::string RunTable::field(const Run& run, std::string_view column) const {
  const auto found = std::find(columns.begin(), columns.end(), column);
  return found == columns.end() ? "" : run.row[static_cast<std::size_t>(found - columns.begin())];
}

std::string RunTable::architecture(const Run& run) const {
  const std::string group = field(run, "group");
  return group.empty() ? std::filesystem::path(run.network_name).stem().string() : group;
}

RunTable read_run_table(const std::string& file, const std::vector<Device>& own_devices, bool measured) {
  return with_context(file, [&] { return read(file, own_devices, measured); });
}

std::function<void(const RunFields&)> run_row_check(const std::string& file,
                                                    const std::vector<Device>& own_devices) {
  return [reader = std::make_shared<RunReader>(file, own_devices)](const RunFields& fields) {
    Run ignored;
    reader->set_all(ignored, fields);
  };
}

}  // namespace layersim
