// Which kind of profile a file is, and what the readers share.

#include <algorithm>
#include <charconv>
#include <cmath>

#include "sim/core/error.h"
#include "sim/methods/common/text_input.h"
#include "sim/methods/transfer/profile_formats.h"

namespace layersim {
namespace {

std::vector<OperationProfile> read_json(std::string_view text) {
  constexpr std::size_t kHead = 400;
  const bool is_table = text.substr(0, kHead).find("\"cols\"") != std::string_view::npos;
  return {is_table ? read_tensorflow_stats_json(text) : read_chrome_trace(text)};
}

std::vector<OperationProfile> read_any(const std::string& file) {
  const std::string text = read_text_input(file);
  const std::string_view content = trimmed(text);
  if (content.front() == '{' || content.front() == '[') return read_json(content);
  if (content.starts_with("---")) return {read_key_averages(content)};
  CsvRecords records(content);
  records.next();
  const auto has = [&](std::string_view name) {
    return std::find(records.fields().begin(), records.fields().end(), name) != records.fields().end();
  };
  if (has("Host/device")) return {read_tensorflow_stats_csv(content)};
  if (has("operation") && has("time_ms")) return {read_operation_list(content)};
  if (has("gpu") && std::any_of(records.fields().begin(), records.fields().end(),
                                [](const std::string& name) { return name.starts_with("device_"); }))
    return read_profile_rows(file);
  throw bad_input(
      "is no operation profile: neither a trace (JSON), a table of key_averages(), operation statistics of "
      "TensorFlow, nor "
      "a CSV with columns operation,time_ms or gpu,device_..._ms");
}

}  // namespace

double OperationProfile::device_ms() const {
  double sum = 0;
  for (const OperationTime& operation : device) sum += operation.time_ms;
  return sum;
}

std::vector<OperationProfile> read_profiles(const std::string& file) {
  return with_context(file, [&] { return read_any(file); });
}

void add_time(OperationTotals& totals, std::string_view name, double time_ms, std::int64_t count) {
  auto found = totals.find(name);
  if (found == totals.end())
    found = totals.emplace(std::string(name), OperationTime{std::string(name), 0, 0}).first;
  found->second.time_ms += time_ms;
  found->second.count += count;
}

std::vector<OperationTime> by_time(const OperationTotals& totals) {
  std::vector<OperationTime> list;
  for (const auto& entry : totals) list.push_back(entry.second);
  std::stable_sort(list.begin(), list.end(),
                   [](const OperationTime& a, const OperationTime& b) { return a.time_ms > b.time_ms; });
  return list;
}

double parse_field_number(std::string_view field, const std::string& place) {
  double number = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), number);
  if (error != std::errc{} || end != field.data() + field.size() || !std::isfinite(number) || number < 0) {
    throw bad_input(place + ": '" + std::string(field) + "' is no number of at least 0");
  }
  return number;
}

}  // namespace layersim
