#include "sim/import/wire_edit.h"

#include <iterator>
#include <utility>

namespace layersim {
namespace {

constexpr std::uint64_t kLengthDelimited = 2;

std::size_t append_varint(std::string& bytes, std::uint64_t value) {
  std::size_t count = 1;
  for (; value >= 0x80; value >>= 7, ++count) bytes += static_cast<char>(value | 0x80);
  bytes += static_cast<char>(value);
  return count;
}

}  // namespace

void WireEdit::keep(const char* begin, const char* end) {
  if (begin == end) return;
  const auto length = static_cast<std::size_t>(end - begin);
  size_ += length;
  if (!pieces_.empty()) {
    std::string_view& last = pieces_.back().original;
    if (!last.empty() && last.data() + last.size() == begin) {
      last = {last.data(), last.size() + length};
      return;
    }
  }
  pieces_.push_back({{begin, length}, ""});
}

void WireEdit::add_text(std::uint32_t field_number, std::string_view text) {
  add_head(field_number, text.size());
  new_bytes() += text;
  size_ += text.size();
}

void WireEdit::add_message(std::uint32_t field_number, WireEdit&& message) {
  add_head(field_number, message.size_);
  size_ += message.size_;
  pieces_.insert(pieces_.end(), std::make_move_iterator(message.pieces_.begin()),
                 std::make_move_iterator(message.pieces_.end()));
}

void WireEdit::add_head(std::uint32_t field_number, std::size_t length) {
  std::string& bytes = new_bytes();
  size_ += append_varint(bytes, (std::uint64_t{field_number} << 3) | kLengthDelimited);
  size_ += append_varint(bytes, length);
}

std::string& WireEdit::new_bytes() {
  if (pieces_.empty() || !pieces_.back().original.empty()) pieces_.push_back({{}, ""});
  return pieces_.back().text;
}

}  // namespace layersim
