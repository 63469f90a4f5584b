#pragma once
// An hourly price in the formats.

#include <optional>
#include <string>

#include "hwdb/price_list.h"
#include "sim/core/json.h"

namespace layersim {

// {"usd_per_hour", "what", "age"}, or null.
[[nodiscard]] Json price_json(const std::optional<HourlyPrice>& price);
// "0.640 USD/h: google n1-standard-4+k80, us-central1, 2024-06 (2 years old)"
[[nodiscard]] std::string hourly_price_text(const HourlyPrice& price);

}  // namespace layersim
