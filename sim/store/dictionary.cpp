#include <string>

#include "sim/core/error.h"
#include "sim/store/table.h"

namespace layersim {

namespace {

// Length of the UTF-8 sequence that begins at `text`, 0 when it is none (RFC 3629).
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t index) { return static_cast<unsigned char>(text[index]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  std::size_t length = 0;
  if (first >= 0xc2 && first <= 0xdf) length = 2;
  if (first >= 0xe0 && first <= 0xef) length = 3;
  if (first >= 0xf0 && first <= 0xf4) length = 4;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const bool overlong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
  const bool surrogate = first == 0xed && byte(1) >= 0xa0;
  const bool beyond = first == 0xf4 && byte(1) >= 0x90;
  return overlong || surrogate || beyond ? 0 : length;
}

void check_text(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 || byte == 0x7f) throw bad_input("the text holds a control character");
    const std::size_t length = utf8_length(text.substr(i));
    if (length == 0) throw bad_input("the text is not UTF-8");
    i += length;
  }
}

}  // namespace

std::int32_t Dictionary::code(std::string_view text) {
  if (text.empty()) return kMissingCode;
  const auto found = codes_.find(text);
  if (found != codes_.end()) return found->second;
  check_text(text);
  if (texts_.size() == kMaxTexts || bytes_ + text.size() > kMaxBytes) {
    throw bad_input("more different texts than the " + std::to_string(kMaxTexts) +
                    " (or 64 MiB) of a column");
  }
  const auto code = static_cast<std::int32_t>(texts_.size());
  texts_.emplace_back(text);
  codes_.emplace(texts_.back(), code);
  bytes_ += text.size();
  return code;
}

std::int32_t Dictionary::find(std::string_view text) const {
  const auto found = codes_.find(text);
  return found == codes_.end() ? kMissingCode : found->second;
}

}  // namespace layersim
