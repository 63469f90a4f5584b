// Profiles in rows of a CSV, and the list of operations of one profile.

#include <algorithm>
#include <cmath>

#include "hwdb/device_keys.h"
#include "sim/core/error.h"
#include "sim/methods/common/text_input.h"
#include "sim/methods/transfer/profile_formats.h"
#include "sim/store/csv_reader.h"

namespace layersim {
namespace {

constexpr std::string_view kDevicePrefix = "device_";
constexpr std::string_view kHostPrefix = "host_";
constexpr std::string_view kTimeSuffix = "_ms";
constexpr double kMostCount = 0x1p31;

struct OperationColumn {
  std::size_t column;
  std::string name;
};

class RowLayout {
 public:
  explicit RowLayout(const std::vector<std::string>& header) {
    for (std::size_t i = 0; i < header.size(); ++i) {
      const std::string& name = header[i];
      if (!name.ends_with(kTimeSuffix)) continue;
      for (const std::string_view prefix : {kDevicePrefix, kHostPrefix}) {
        if (!name.starts_with(prefix)) continue;
        const std::string operation =
            name.substr(prefix.size(), name.size() - prefix.size() - kTimeSuffix.size());
        auto& columns = prefix == kDevicePrefix ? device : host;
        if (operation == "idle") {
          if (prefix == kDevicePrefix) idle = i;
        } else {
          columns.push_back({i, operation});
        }
      }
    }
    const auto find = [&](std::initializer_list<std::string_view> names) -> std::optional<std::size_t> {
      for (const std::string_view name : names) {
        const auto found = std::find(header.begin(), header.end(), name);
        if (found != header.end()) return static_cast<std::size_t>(found - header.begin());
      }
      return std::nullopt;
    };
    gpu = *find({"gpu"});
    network = find({"network", "model"});
    batch = find({"batch"});
    pixel = find({"pixel"});
    n_gpus = find({"n_gpus"});
    steps = find({"profiled_steps"});
    batch_ms = find({"batch_ms"});
    if (!steps) throw bad_input("has no column 'profiled_steps'");
  }

  std::vector<OperationColumn> device;
  std::vector<OperationColumn> host;
  std::size_t gpu = 0;
  std::optional<std::size_t> idle, network, batch, pixel, n_gpus, steps, batch_ms;
};

void add_operations(std::vector<OperationTime>& operations, const std::vector<OperationColumn>& columns,
                    const std::vector<std::string_view>& fields, const std::string& place) {
  for (const OperationColumn& column : columns) {
    const std::string_view field = fields[column.column];
    if (field.empty()) continue;
    const double time_ms = parse_field_number(field, place + ", '" + column.name + "'");
    if (time_ms > 0) operations.push_back({column.name, time_ms, 0});
  }
  std::stable_sort(operations.begin(), operations.end(),
                   [](const OperationTime& a, const OperationTime& b) { return a.time_ms > b.time_ms; });
}

}  // namespace

std::vector<OperationProfile> read_profile_rows(const std::string& file) {
  CsvReader reader(file);
  const RowLayout layout(reader.header());
  std::vector<OperationProfile> profiles;
  DeviceKeys gpus;
  while (reader.next()) {
    const std::string place = "line " + std::to_string(reader.line());
    const auto& fields = reader.fields();
    const auto number = [&](const std::optional<std::size_t>& column, const char* name) {
      if (!column || fields[*column].empty()) return 0.0;
      return parse_field_number(fields[*column], place + ", '" + name + "'");
    };
    // 0 where it is not told.
    const auto positive = [&](const std::optional<std::size_t>& column, const char* name) {
      const double value = number(column, name);
      if (column && !fields[*column].empty() && value <= 0)
        throw bad_input(place + ", '" + name + "': must be above 0");
      return value;
    };
    const auto count = [&](const std::optional<std::size_t>& column, const char* name) {
      const double value = positive(column, name);
      if (value != std::floor(value) || value > kMostCount)
        throw bad_input(place + ", '" + name + "': must be a whole number up to 2^31");
      return static_cast<std::int64_t>(value);
    };
    OperationProfile profile;
    profile.format = "profile rows";
    profile.line = reader.line();
    if (layout.n_gpus && count(layout.n_gpus, "n_gpus") > 1)
      throw bad_input(place + ", 'n_gpus': a profile is of one device");
    add_operations(profile.device, layout.device, fields, place);
    add_operations(profile.host, layout.host, fields, place);
    profile.kernel_ms = profile.device_ms();
    if (layout.idle && !fields[*layout.idle].empty())
      profile.device_idle_ms = number(layout.idle, "device_idle_ms");
    profile.steps = count(layout.steps, "profiled_steps");
    if (profile.steps < 1) throw bad_input(place + ", 'profiled_steps': must be at least 1");
    if (const double batch_ms = positive(layout.batch_ms, "batch_ms"); batch_ms > 0)
      profile.step_ms = batch_ms;
    profile.gpu = with_context(place + ", 'gpu'", [&] { return gpus.find(fields[layout.gpu]); });
    if (layout.network) profile.network = fields[*layout.network];
    profile.batch = count(layout.batch, "batch");
    profile.pixel = count(layout.pixel, "pixel");
    profiles.push_back(std::move(profile));
  }
  if (profiles.empty()) throw bad_input("has no rows");
  return profiles;
}

OperationProfile read_operation_list(std::string_view text) {
  CsvRecords records(text);
  records.next();
  const std::vector<std::string> header = records.fields();
  const auto column = [&](std::string_view name) {
    return static_cast<std::size_t>(std::find(header.begin(), header.end(), name) - header.begin());
  };
  const std::size_t operation = column("operation");
  const std::size_t time = column("time_ms");
  OperationTotals totals;
  while (records.next()) {
    const std::string place = "line " + std::to_string(records.line());
    if (records.fields().size() != header.size())
      throw bad_input(place + ": has " + std::to_string(records.fields().size()) + " fields, the header " +
                      std::to_string(header.size()));
    add_time(totals, records.fields()[operation],
             parse_field_number(records.fields()[time], place + ", 'time_ms'"), 0);
  }
  OperationProfile profile;
  profile.format = "operation list";
  profile.device = by_time(totals);
  profile.kernel_ms = profile.device_ms();
  profile.kernels = static_cast<std::int64_t>(profile.device.size());
  return profile;
}

}  // namespace layersim
