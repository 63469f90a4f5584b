// Operation statistics of the TensorFlow profiler: one table, or one with and one without idle time, of which
// the latter is read and the former tells the idle time. As CSV with the titles of the columns, or as the
// JSON of the tool, a list of
// {"cols": [{"id", "label"}], "rows": [{"c": [{"v"}]}]}. Rows of device and host are apart and not to be
// added.

#include <algorithm>
#include <array>

#include "sim/core/error.h"
#include "sim/core/json.h"
#include "sim/methods/common/text_input.h"
#include "sim/methods/transfer/profile_formats.h"

namespace layersim {
namespace {

constexpr std::array<std::string_view, 4> kTitles{"Host/device", "Type", "#Occurrences",
                                                  "Total self-time (us)"};
constexpr std::string_view kIdle = "IDLE";

struct Row {
  std::string type;
  double time_us = 0;
  std::int64_t count = 0;
};

// What the rows add up to.
struct Table {
  OperationTotals device;
  OperationTotals host;
  OperationProfile profile;
  std::optional<double> idle_ms;

  void add(const std::string& where, const Row& row) {
    const double time_ms = row.time_us / 1000;
    const bool on_device = where == "Device";
    if (!on_device && where != "Host") throw bad_input("'" + where + "' is neither Device nor Host");
    if (row.type == kIdle) {
      if (on_device) idle_ms = idle_ms.value_or(0) + time_ms;
      return;
    }
    add_time(on_device ? device : host, row.type, time_ms, row.count);
    if (on_device) {
      ++profile.kernels;
      profile.operations += row.count;
      profile.kernel_ms += time_ms;
    } else {
      profile.host_ms += time_ms;
    }
  }

  OperationProfile finish() {
    profile.format = "tensorflow stats";
    profile.device = by_time(device);
    profile.host = by_time(host);
    profile.device_idle_ms = idle_ms;
    return std::move(profile);
  }
};

// Positions of kTitles.
std::array<std::size_t, kTitles.size()> find_columns(const std::vector<std::string>& titles) {
  std::array<std::size_t, kTitles.size()> columns{};
  for (std::size_t i = 0; i < kTitles.size(); ++i) {
    const auto found = std::find(titles.begin(), titles.end(), kTitles[i]);
    if (found == titles.end()) throw bad_input("has no column '" + std::string(kTitles[i]) + "'");
    columns[i] = static_cast<std::size_t>(found - titles.begin());
  }
  return columns;
}

Table read_json_table(const Json& json) {
  if (!json.is_object() || !json.contains("cols") || !json.contains("rows"))
    throw bad_input("is a list of something else than tables of operations");
  std::vector<std::string> titles;
  for (const Json& column : json["cols"]) titles.push_back(column.value("label", ""));
  const auto columns = find_columns(titles);
  Table table;
  std::size_t index = 0;
  for (const Json& row : json["rows"]) {
    ++index;
    with_context("row " + std::to_string(index), [&] {
      const Json& cells = row.at("c");
      const auto cell = [&](std::size_t i) -> const Json& { return cells.at(columns[i]).at("v"); };
      const double count = cell(2).get<double>();
      table.add(cell(0).get<std::string>(),
                {cell(1).get<std::string>(), cell(3).get<double>(), static_cast<std::int64_t>(count)});
    });
  }
  return table;
}

}  // namespace

OperationProfile read_tensorflow_stats_csv(std::string_view text) {
  CsvRecords records(text);
  records.next();
  const std::size_t width = records.fields().size();
  const auto columns = find_columns(records.fields());
  Table table;
  while (records.next()) {
    const std::string place = "line " + std::to_string(records.line());
    const auto& fields = records.fields();
    if (fields.size() != width)
      throw bad_input(place + ": has " + std::to_string(fields.size()) + " fields, the header " +
                      std::to_string(width));
    const double count = parse_field_number(fields[columns[2]], place);
    with_context(place, [&] {
      table.add(fields[columns[0]],
                {fields[columns[1]], parse_field_number(fields[columns[3]], "'Total self-time (us)'"),
                 static_cast<std::int64_t>(count)});
    });
  }
  return table.finish();
}

OperationProfile read_tensorflow_stats_json(std::string_view text) {
  try {
    Json json = Json::parse(text);
    if (!json.is_array()) json = Json::array({std::move(json)});
    std::optional<Table> chosen;
    std::optional<double> idle_ms;
    for (const Json& item : json) {
      Table table = read_json_table(item);
      if (table.idle_ms) idle_ms = table.idle_ms;
      if (!chosen || !table.idle_ms) chosen = std::move(table);
    }
    if (!chosen) throw bad_input("is an empty list");
    chosen->idle_ms = idle_ms;
    return chosen->finish();
  } catch (const Json::exception&) {
    throw bad_input("is no JSON table of operation statistics of TensorFlow, or is cut off");
  }
}

}  // namespace layersim
