#include "sim/core/csv_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace layersim {

void CsvLine::add(std::string_view field) {
  separate();
  if (field.find_first_of(",\"\n\r") == std::string_view::npos) {
    text_ += field;
    return;
  }
  text_ += '"';
  for (const char c : field) {
    if (c == '"') text_ += '"';
    text_ += c;
  }
  text_ += '"';
}

void CsvLine::add(double number) {
  separate();
  constexpr double kExact = 9007199254740992.0;  // 2^53
  const bool is_whole = number == std::floor(number) && std::fabs(number) < kExact;
  std::array<char, 32> buffer{};
  char* const end = buffer.data() + buffer.size();
  const auto result = is_whole ? std::to_chars(buffer.data(), end, static_cast<std::int64_t>(number))
                               : std::to_chars(buffer.data(), end, number);
  text_.append(buffer.data(), result.ptr);
}

void CsvLine::separate() {
  if (!is_first_) text_ += ',';
  is_first_ = false;
}

}  // namespace layersim
