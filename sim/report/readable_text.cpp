#include "sim/report/readable_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace layersim {
namespace {

std::string fixed(double number, int decimals) {
  std::array<char, 400> buffer{};
  const int length = std::snprintf(buffer.data(), buffer.size(), "%.*f", decimals, number);
  return {buffer.data(), static_cast<std::size_t>(std::clamp(length, 0, 399))};
}

bool continues_code_point(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

}  // namespace

std::string with_thousands(double number) {
  std::string digits = fixed(number, 0);
  const std::size_t first = digits.starts_with('-') ? 1 : 0;
  for (std::size_t i = digits.size(); i > first + 3;) {
    i -= 3;
    digits.insert(i, ",");
  }
  return digits;
}

std::string short_number(double number) {
  constexpr double kHuge = 1e12;  // longer ones nobody counts
  if (number == 0) return "0";
  const double size = std::fabs(number);
  if (size >= kHuge) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.3g", number);
    return text.data();
  }
  if (size >= 99.95) return with_thousands(number);
  int decimals = 1;
  for (double limit = 9.995; size < limit && decimals < 5; limit /= 10) ++decimals;
  std::string text = fixed(number, decimals);
  return text == "0.00000" ? "<0.00001" : text;
}

std::string with_prefix(double number, std::string_view unit) {
  constexpr std::array<std::string_view, 7> kPrefixes{"", "k", "M", "G", "T", "P", "E"};
  std::size_t prefix = 0;
  while (std::fabs(number) >= 999.5 && prefix + 1 < kPrefixes.size()) {
    number /= 1000;
    ++prefix;
  }
  const bool whole = prefix == 0 && number == std::floor(number);
  const std::string suffix = std::string(kPrefixes[prefix]) + std::string(unit);
  return (whole ? fixed(number, 0) : short_number(number)) + (suffix.empty() ? "" : ' ' + suffix);
}

std::string percent(double share) {
  const double value = 100 * share;
  if (value <= 0) return "0 %";
  if (value >= 100) return "100 %";
  if (value < 0.1) return "<0.1 %";
  if (value > 99.9) return ">99.9 %";
  return fixed(value, value < 9.95 || value > 99 ? 1 : 0) + " %";
}

std::string duration(double seconds) {
  if (seconds < 1) return short_number(1000 * seconds) + " ms";
  if (seconds < 100) return short_number(seconds) + " s";
  const auto pair = [](double total, double big, std::string_view big_unit, double small,
                       std::string_view small_unit) {
    const double rounded = std::round(total / small) * small;
    const double whole = std::floor(rounded / big);
    return with_thousands(whole) + std::string(big_unit) + fixed((rounded - whole * big) / small, 0) +
           std::string(small_unit);
  };
  if (seconds < 3599.5) return pair(seconds, 60, " min ", 1, " s");
  if (seconds < 86370) return pair(seconds, 3600, " h ", 60, " min");
  return pair(seconds, 86400, " d ", 3600, " h");
}

std::string usd_text(double amount) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), amount < 10 ? "%.2f" : "%.0f", amount);
  return amount < 1000 ? text.data() : with_thousands(amount);
}

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !continues_code_point(c); }));
}

std::string printable(std::string_view text) {
  std::string result(text);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const auto c = static_cast<unsigned char>(result[i]);
    // C1 control characters are 0xC2 0x80..0x9F in UTF-8.
    const bool is_c1 = c == 0xC2 && i + 1 < result.size() && static_cast<unsigned char>(result[i + 1]) < 0xA0;
    if (is_c1) result.replace(i, 2, "?");
    if (c < 0x20 || c == 0x7F) result[i] = '?';
  }
  return result;
}

std::string keep_end(std::string_view text, std::size_t width) {
  const std::size_t length = display_width(text);
  if (length <= width) return std::string(text);
  if (width <= 2) return std::string(width, '.');
  std::size_t drop = length - (width - 2);
  std::size_t i = 0;
  while (i < text.size() && (drop > 0 || continues_code_point(text[i]))) {
    if (!continues_code_point(text[i])) --drop;
    ++i;
  }
  return ".." + std::string(text.substr(i));
}

std::string name_list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text.append(text.empty() ? "" : ", ").append(name);
  return text;
}

std::string labelled_text(std::string_view label, std::string_view text, std::size_t indent,
                          std::size_t width) {
  const std::size_t room = std::max(width, indent + 30) - indent;
  std::string out;
  std::string line(label);
  line.resize(std::max(indent, line.size() + 1), ' ');
  while (display_width(text) > room) {
    std::size_t cut = text.rfind(' ', room);
    if (cut == std::string_view::npos || cut == 0) cut = text.find(' ', room);
    if (cut == std::string_view::npos) break;
    out += line + std::string(text.substr(0, cut)) + '\n';
    text.remove_prefix(cut + 1);
    line.assign(indent, ' ');
  }
  return out + line + std::string(text) + '\n';
}

}  // namespace layersim
