#include "sim/runs/time_field.h"

#include <charconv>
#include <cmath>
#include <string>

#include "sim/core/error.h"
#include "sim/store/table_kind.h"

namespace layersim {
namespace {

std::string shown(std::string_view text) { return "'" + std::string(text.substr(0, 60)) + "'"; }

}  // namespace

double parse_time_ms(std::string_view field, TimeOf what) {
  double ms = 0;
  const char* const end = field.data() + field.size();
  const auto [read, error] = std::from_chars(field.data(), end, ms);
  const bool is_number = error == std::errc{} && read == end && std::isfinite(ms);
  const bool is_time = is_number && (what == TimeOf::step ? ms > 0 : ms >= 0);
  if (!is_time) {
    throw bad_input(shown(field) + (what == TimeOf::step ? " is not a time above zero" : " is not a time"));
  }
  if (ms > 0 && ms < kLeastMeasuredMs) throw bad_input(shown(field) + " is below 1e-9 ms");
  if (ms > kMostMeasuredMs) throw bad_input(shown(field) + " is above 1e12 ms");
  return ms;
}

}  // namespace layersim
