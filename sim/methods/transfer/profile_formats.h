#pragma once
// One reader a format; each has a file of its own. Errors do not name the file.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/methods/transfer/operation_profile.h"

namespace layersim {

[[nodiscard]] OperationProfile read_chrome_trace(std::string_view text);
[[nodiscard]] OperationProfile read_key_averages(std::string_view text);
[[nodiscard]] OperationProfile read_tensorflow_stats_json(std::string_view text);
[[nodiscard]] OperationProfile read_tensorflow_stats_csv(std::string_view text);
[[nodiscard]] OperationProfile read_operation_list(std::string_view text);
[[nodiscard]] std::vector<OperationProfile> read_profile_rows(const std::string& file);

// Times by name.
using OperationTotals = std::map<std::string, OperationTime, std::less<>>;
void add_time(OperationTotals& totals, std::string_view name, double time_ms, std::int64_t count);
// Longest first.
[[nodiscard]] std::vector<OperationTime> by_time(const OperationTotals& totals);

// A number of a field; throws bad_input naming the place.
[[nodiscard]] double parse_field_number(std::string_view field, const std::string& place);

}  // namespace layersim
