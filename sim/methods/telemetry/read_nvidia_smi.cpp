// nvidia-smi --query-gpu=timestamp,... --format=csv[,nounits]: a header with the queried names, units in
// brackets behind them, then a line for each GPU and time.

#include <algorithm>
#include <charconv>
#include <chrono>
#include <limits>
#include <optional>

#include "sim/core/error.h"
#include "sim/methods/common/text_input.h"
#include "sim/methods/telemetry/log_cells.h"

namespace layersim {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

struct Query {
  std::string_view name;
  std::size_t metric;
};
constexpr std::array<Query, 10> kQueries{Query{"power.draw", 0},    {"power.draw.average", 0},
                                         {"power.draw.instant", 0}, {"utilization.gpu", 1},
                                         {"utilization.memory", 2}, {"memory.used", 3},
                                         {"clocks.current.sm", 4},  {"clocks.sm", 4},
                                         {"clocks.gr", 4},          {"clocks.current.graphics", 4}};
// What tells GPUs apart, best first.
constexpr std::array<std::string_view, 5> kIdentities{"index", "uuid", "gpu_uuid", "pci.bus_id", "serial"};

// "power.draw [W]" -> "power.draw"
std::string query_name(std::string_view header) {
  return lower_case(trimmed(header.substr(0, header.find('['))));
}

// "2024/05/09 12:22:04.220" in seconds; also with dashes, and without the fraction. Seconds since 1970 as a
// number too.
std::optional<double> parse_time(std::string_view text) {
  std::array<double, 6> parts{};
  std::size_t count = 0;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  while (at < end && count < parts.size()) {
    const auto [next, error] = std::from_chars(at, end, parts[count]);
    if (error != std::errc{}) return std::nullopt;
    ++count;
    at = next;
    while (at < end && (*at == '/' || *at == '-' || *at == ':' || *at == ' ' || *at == 'T')) ++at;
  }
  if (count == 1) return parts[0];
  if (count != parts.size()) return std::nullopt;
  const std::chrono::year_month_day day{std::chrono::year(static_cast<int>(parts[0])),
                                        std::chrono::month(static_cast<unsigned>(parts[1])),
                                        std::chrono::day(static_cast<unsigned>(parts[2]))};
  if (!day.ok()) return std::nullopt;
  const auto days = static_cast<double>(std::chrono::sys_days(day).time_since_epoch().count());
  return days * 86400 + parts[3] * 3600 + parts[4] * 60 + parts[5];
}

// Lines of a log that were left out, told once.
struct LeftOut {
  std::size_t count = 0;
  std::size_t first = 0;  // line, from 1

  void add(std::size_t line) {
    if (count++ == 0) first = line;
  }
  void warn(const std::string& what, std::vector<std::string>& warnings) const {
    if (count == 0) return;
    warnings.push_back(std::to_string(count) +
                       (count == 1 ? " line was left out, " : " lines were left out, ") + what +
                       (count == 1 ? ": line " : ": the first is line ") + std::to_string(first));
  }
};

struct Columns {
  std::size_t time = 0;
  std::optional<std::size_t> gpu;
  std::vector<std::pair<std::size_t, std::size_t>> metrics;  // column, metric
};

std::optional<Columns> find_columns(const std::vector<std::string>& header) {
  std::vector<std::string> names;
  names.reserve(header.size());
  for (const std::string& cell : header) names.push_back(query_name(cell));
  const auto find = [&](std::string_view name) -> std::optional<std::size_t> {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) return std::nullopt;
    return static_cast<std::size_t>(found - names.begin());
  };
  Columns columns;
  const auto time = find("timestamp");
  if (!time) return std::nullopt;
  columns.time = *time;
  for (const std::string_view identity : kIdentities) {
    if (!columns.gpu) columns.gpu = find(identity);
  }
  std::array<bool, kMetrics.size()> taken{};
  for (const Query& query : kQueries) {
    const auto column = find(query.name);
    if (!column || taken[query.metric]) continue;
    taken[query.metric] = true;
    columns.metrics.emplace_back(*column, query.metric);
  }
  return columns;
}

}  // namespace

std::vector<LogLine> read_nvidia_smi(std::string_view text, std::vector<std::string>& warnings) {
  CsvRecords records(text);
  if (!records.next()) throw bad_input("is empty");
  const auto columns = find_columns(records.fields());
  if (!columns) throw bad_input("is no log of nvidia-smi: the first line has no column 'timestamp'");
  if (columns->metrics.empty())
    throw bad_input("has no column of power, utilization, memory or clock to find epochs in");
  const std::size_t width = records.fields().size();
  std::vector<LogLine> lines;
  LeftOut incomplete;  // a last line that was cut off
  LeftOut timeless;    // repeated headers of a log that was continued
  LogCells cells;
  while (records.next()) {
    const auto& fields = records.fields();
    if (fields.size() != width) {
      incomplete.add(records.line());
      continue;
    }
    const auto time_s = parse_time(fields[columns->time]);
    if (!time_s) {
      timeless.add(records.line());
      continue;
    }
    LogLine line{*time_s, columns->gpu ? fields[*columns->gpu] : "", {}};
    line.values.fill(kMissing);
    for (const auto& [column, metric] : columns->metrics) {
      line.values[metric] = cells.read(metric, fields[column], records.line());
    }
    lines.push_back(std::move(line));
  }
  incomplete.warn("not of as many fields as the header", warnings);
  timeless.warn("without a time", warnings);
  cells.add_warnings(warnings);
  return lines;
}

}  // namespace layersim
