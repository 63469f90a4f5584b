// The table that key_averages().table() of PyTorch prints: columns of text between lines of dashes, as many
// columns as its author kept, times as "12.345us", "1.2ms" or "3s". It often shows only the first rows, so
// that the totals below it are larger than their sum.

#include <algorithm>
#include <cmath>

#include "sim/core/error.h"
#include "sim/methods/common/text_input.h"
#include "sim/methods/transfer/profile_formats.h"

namespace layersim {
namespace {

struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

bool is_rule(std::string_view line) {
  return trimmed(line).starts_with("---") && line.find_first_not_of("- \r\t") == std::string_view::npos;
}

// The runs of dashes of a rule are the columns.
std::vector<Span> columns_of(std::string_view rule) {
  std::vector<Span> columns;
  for (std::size_t at = rule.find('-'); at != std::string_view::npos; at = rule.find('-', at)) {
    const std::size_t end = std::min(rule.find_first_not_of('-', at), rule.size());
    columns.push_back({at, end});
    at = end;
  }
  return columns;
}

// Cells are right-aligned but for long names, which end with their column.
std::string_view cell_of(std::string_view line, const std::vector<Span>& columns, std::size_t index) {
  const std::size_t begin = index == 0 ? 0 : columns[index - 1].end;
  if (begin >= line.size()) return {};
  return trimmed(line.substr(begin, columns[index].end - begin));
}

// "12.345us" in ms; nothing for "--" and "".
std::optional<double> time_of(std::string_view cell, const std::string& place) {
  if (cell.empty() || cell.find_first_not_of('-') == std::string_view::npos) return std::nullopt;
  struct Unit {
    std::string_view suffix;
    double ms;
  };
  for (const Unit& unit : {Unit{"ns", 1e-6}, Unit{"us", 1e-3}, Unit{"ms", 1}, Unit{"s", 1000}}) {
    if (!cell.ends_with(unit.suffix)) continue;
    return unit.ms * parse_field_number(trimmed(cell.substr(0, cell.size() - unit.suffix.size())), place);
  }
  throw bad_input(place + ": '" + std::string(cell) + "' is no time with its unit");
}

bool is_device_column(std::string_view header, std::string_view what) {
  for (const std::string_view device : {"CUDA", "XPU", "PrivateUse1", "HPU", "MTIA"}) {
    if (header == "Self " + std::string(device) + std::string(what)) return true;
  }
  return false;
}

struct Layout {
  std::vector<Span> columns;
  std::optional<std::size_t> self_device, self_host, calls;
};

Layout layout_of(std::string_view rule, std::string_view header) {
  Layout layout{columns_of(rule), {}, {}, {}};
  for (std::size_t i = 0; i < layout.columns.size(); ++i) {
    const std::string_view title = cell_of(header, layout.columns, i);
    if (is_device_column(title, "") || is_device_column(title, " time")) layout.self_device = i;
    if (title == "Self CPU" || title == "Self CPU time") layout.self_host = i;
    if (title == "# of Calls" || title == "Number of Calls") layout.calls = i;
  }
  if (layout.columns.empty() || cell_of(header, layout.columns, 0) != "Name")
    throw bad_input("is a table without a column 'Name': none of key_averages()");
  if (!layout.self_device && !layout.self_host)
    throw bad_input("is a table without a column 'Self CPU' or 'Self CUDA'");
  return layout;
}

struct Rows {
  OperationTotals device;
  OperationTotals host;
};

void add_row(Rows& rows, const Layout& layout, std::string_view line, const std::string& place) {
  const std::string_view name = cell_of(line, layout.columns, 0);
  const auto number = [&](const std::optional<std::size_t>& column) {
    return column ? time_of(cell_of(line, layout.columns, *column), place) : std::nullopt;
  };
  std::int64_t calls = 0;
  if (layout.calls)
    calls =
        static_cast<std::int64_t>(parse_field_number(cell_of(line, layout.columns, *layout.calls), place));
  if (const auto time_ms = number(layout.self_device); time_ms && *time_ms > 0)
    add_time(rows.device, name, *time_ms, calls);
  if (const auto time_ms = number(layout.self_host)) add_time(rows.host, name, *time_ms, calls);
}

}  // namespace

OperationProfile read_key_averages(std::string_view text) {
  const std::vector<std::string_view> lines = lines_of(text);
  if (lines.size() < 3 || !is_rule(lines[0]) || !is_rule(lines[2]))
    throw bad_input("is no table of key_averages()");
  const Layout layout = layout_of(lines[0], lines[1]);
  OperationProfile profile;
  profile.format = "key_averages";
  Rows rows;
  std::size_t at = 3;
  for (; at < lines.size() && !is_rule(lines[at]); ++at)
    add_row(rows, layout, lines[at], "line " + std::to_string(at + 1));
  std::optional<double> device_total_ms, host_total_ms;
  for (; at < lines.size(); ++at) {
    const std::string_view line = trimmed(lines[at]);
    const std::size_t colon = line.find(": ");
    if (colon == std::string_view::npos) continue;
    const std::string_view title = line.substr(0, colon);
    auto& total = title == "Self CPU time total" ? host_total_ms : device_total_ms;
    if (title == "Self CPU time total" || is_device_column(title, " time total"))
      total = time_of(line.substr(colon + 2), "line " + std::to_string(at + 1));
  }
  profile.device = by_time(rows.device);
  profile.host = by_time(rows.host);
  profile.kernels = static_cast<std::int64_t>(profile.device.size());
  for (const OperationTime& operation : profile.device) profile.operations += operation.count;
  const double listed_ms = profile.device_ms();
  profile.kernel_ms = device_total_ms.value_or(listed_ms);
  for (const OperationTime& operation : profile.host) profile.host_ms += operation.time_ms;
  profile.host_ms = host_total_ms.value_or(profile.host_ms);
  if (profile.kernel_ms > listed_ms * 1.001) {
    profile.warnings.push_back("the rows of the table are " +
                               std::to_string(std::lround(100 * listed_ms / profile.kernel_ms)) +
                               " % of its total device time: row_limit=-1 prints them all");
  }
  return profile;
}

}  // namespace layersim
