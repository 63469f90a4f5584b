#include "sim/methods/common/text_input.h"

#include <algorithm>
#include <cctype>

#include "sim/core/error.h"
#include "sim/core/own_file.h"
#include "sim/store/byte_stream.h"

namespace layersim {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 32;

void add_utf8(std::string& text, char32_t code) {
  const auto add = [&](char32_t byte) { text += static_cast<char>(static_cast<unsigned char>(byte)); };
  if (code < 0x80) {
    add(code);
  } else if (code < 0x800) {
    add(0xC0 | (code >> 6));
    add(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    add(0xE0 | (code >> 12));
    add(0x80 | ((code >> 6) & 0x3F));
    add(0x80 | (code & 0x3F));
  } else {
    add(0xF0 | (code >> 18));
    add(0x80 | ((code >> 12) & 0x3F));
    add(0x80 | ((code >> 6) & 0x3F));
    add(0x80 | (code & 0x3F));
  }
}

std::string from_utf16(std::string_view bytes, bool little_endian) {
  constexpr char32_t kReplacement = 0xFFFD;
  const auto unit = [&](std::size_t at) {
    const auto first = static_cast<unsigned char>(bytes[at]);
    const auto second = static_cast<unsigned char>(bytes[at + 1]);
    return static_cast<char32_t>(little_endian ? first | second << 8 : first << 8 | second);
  };
  std::string text;
  for (std::size_t at = 2; at + 1 < bytes.size(); at += 2) {
    char32_t code = unit(at);
    const bool is_high = code >= 0xD800 && code < 0xDC00;
    if (is_high && at + 3 < bytes.size() && unit(at + 2) >= 0xDC00 && unit(at + 2) < 0xE000) {
      code = 0x10000 + ((code - 0xD800) << 10) + (unit(at + 2) - 0xDC00);
      at += 2;
    } else if (code >= 0xD800 && code < 0xE000) {
      code = kReplacement;
    }
    add_utf8(text, code);
  }
  return text;
}

}  // namespace

std::string read_text_input(const std::string& path) {
  ByteStream stream(path);
  std::string text;
  for (std::vector<char> block = stream.next_block(); !block.empty(); block = stream.next_block()) {
    if (text.size() + block.size() > kMostBytes) throw bad_input("is larger than 4 GiB");
    text.append(block.begin(), block.end());
  }
  if (text.starts_with("\xFF\xFE")) return from_utf16(text, true);
  if (text.starts_with("\xFE\xFF")) return from_utf16(text, false);
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  if (trimmed(text).empty()) throw bad_input("is empty");
  refuse_own_file(text);
  return text;
}

bool CsvRecords::next() {
  while (at_ < text_.size() && (text_[at_] == '\n' || text_[at_] == '\r'))
    line_ += text_[at_++] == '\n' ? 1 : 0;
  if (at_ >= text_.size()) return false;
  record_line_ = line_;
  fields_.clear();
  while (true) {
    read_field();
    if (at_ >= text_.size()) return true;
    if (text_[at_] != ',') break;
    ++at_;
  }
  return true;
}

// Up to the comma or the line end that follows, which are left.
void CsvRecords::read_field() {
  std::string field;
  bool quoted = false;
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  if (at_ < text_.size() && text_[at_] == '"') {
    quoted = true;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '"') {
        if (at_ + 1 >= text_.size() || text_[at_ + 1] != '"') break;
        ++at_;
      }
      if (text_[at_] == '\n') ++line_;
      field += text_[at_];
    }
    if (at_ < text_.size()) ++at_;
  }
  const std::size_t begin = at_;
  while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '\n') ++at_;
  if (quoted) {
    fields_.push_back(std::move(field));
  } else {
    fields_.emplace_back(trimmed(text_.substr(begin, at_ - begin)));
  }
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

}  // namespace layersim
