#pragma once
// A message of the protobuf wire format while it is edited: runs of the original and new bytes behind each
// other.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace layersim {

class WireEdit {
 public:
  struct Piece {
    std::string_view original;  // of the file; empty: `text` is new
    std::string text;
  };

  // Bytes of the original, which must stay where they are.
  void keep(const char* begin, const char* end);
  void add_text(std::uint32_t field_number, std::string_view text);
  // A length-delimited field around other pieces.
  void add_message(std::uint32_t field_number, WireEdit&& message);

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const std::vector<Piece>& pieces() const { return pieces_; }

 private:
  void add_head(std::uint32_t field_number, std::size_t length);
  std::string& new_bytes();

  std::vector<Piece> pieces_;
  std::size_t size_ = 0;
};

}  // namespace layersim
