#include "sim/core/parse_number.h"

#include <charconv>
#include <cmath>

#include "sim/core/error.h"
#include "sim/core/shape.h"

namespace layersim {

std::int64_t parse_count(const std::string& subject, std::string_view text, std::int64_t least) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole = error == std::errc{} && end == text.data() + text.size();
  if (!is_whole || number < least || number > kMaxElements) {
    throw bad_use(subject + " takes a whole number of at least " + std::to_string(least) + ", not '" +
                  std::string(text) + "'");
  }
  return number;
}

double parse_positive(const std::string& subject, std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc{} && end == text.data() + text.size() && std::isfinite(number);
  if (!is_number || number <= 0) {
    throw bad_use(subject + " takes a number above 0, not '" + std::string(text) + "'");
  }
  return number;
}

}  // namespace layersim
