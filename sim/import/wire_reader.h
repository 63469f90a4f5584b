#pragma once
// Reads the protobuf wire format field by field (https://protobuf.dev/programming-guides/encoding/), without
// touching the bytes of length-delimited fields.

#include <cstdint>
#include <string_view>

namespace layersim {

enum class WireType : unsigned char { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

struct WireField {
  std::uint32_t number = 0;
  WireType type = WireType::varint;
  const char* tag = nullptr;        // first byte of the field
  const char* length_at = nullptr;  // bytes: first byte of the length
  const char* value = nullptr;      // first byte of the value
  const char* next = nullptr;       // first byte behind the field
  std::uint64_t scalar = 0;         // varint: the value
  std::uint64_t missing = 0;        // bytes: how many of them lie behind the end of the message

  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(next - value); }
  [[nodiscard]] std::string_view text() const { return {value, size()}; }
};

// Why a field cannot be read.
enum class WireFault : unsigned char { none, cut, varint_too_long, bad_tag };

// Advances `at` behind the varint; `at` stays where it is on a fault.
[[nodiscard]] WireFault read_varint(const char*& at, const char* end, std::uint64_t& value);

// Reads the field at `at` (before `end`). A length that reaches behind `end` is no fault: `next` is then
// `end`, and `missing` tells how many bytes are not there.
[[nodiscard]] WireFault read_field(const char* at, const char* end, WireField& field);

// Number of varints in a packed field, or -1 when it is malformed.
[[nodiscard]] std::int64_t count_packed_varints(std::string_view packed);

}  // namespace layersim
