#include "sim/core/parse_number.h"

#include <charconv>
#include <cmath>

#include "sim/core/error.h"

namespace layersim {
namespace {

// No time, size, rate or price that anybody means is smaller or larger.
constexpr double kLeastNumber = 1e-15;
constexpr double kMostNumber = 1e15;

}  // namespace

std::int64_t parse_count(const std::string& subject, std::string_view text, std::int64_t least,
                         std::int64_t most) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole = error != std::errc::invalid_argument && end == text.data() + text.size();
  const bool too_large = error == std::errc::result_out_of_range && !text.starts_with('-');
  if (is_whole && (too_large || number > most)) {
    throw bad_use(subject + " is at most " + std::to_string(most) + ", not " + std::string(text));
  }
  if (!is_whole || error != std::errc{} || number < least) {
    throw bad_use(subject + " takes a whole number of at least " + std::to_string(least) + ", not '" +
                  std::string(text) + "'");
  }
  return number;
}

std::int64_t parse_batch(const std::string& subject, std::string_view text) {
  return parse_count(subject, text, 1, kMostSamples);
}

double parse_positive(const std::string& subject, std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc{} && end == text.data() + text.size() && std::isfinite(number);
  if (!is_number || number < kLeastNumber || number > kMostNumber) {
    throw bad_use(subject + " takes a number above 0, from 1e-15 to 1e15, not '" + std::string(text) + "'");
  }
  return number;
}

}  // namespace layersim
