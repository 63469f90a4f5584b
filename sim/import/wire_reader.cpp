#include "sim/import/wire_reader.h"

namespace layersim {

namespace {
constexpr int kMaxVarintBytes = 10;
constexpr std::uint64_t kMaxFieldNumber = (1u << 29) - 1;
}  // namespace

WireFault read_varint(const char*& at, const char* end, std::uint64_t& value) {
  std::uint64_t result = 0;
  const char* p = at;
  for (int i = 0; i < kMaxVarintBytes; ++i) {
    if (p == end) return WireFault::cut;
    const auto byte = static_cast<unsigned char>(*p++);
    result |= static_cast<std::uint64_t>(byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      value = result;
      at = p;
      return WireFault::none;
    }
  }
  return WireFault::varint_too_long;
}

WireFault read_field(const char* at, const char* end, WireField& field) {
  field.tag = at;
  field.missing = 0;
  std::uint64_t tag = 0;
  if (const WireFault fault = read_varint(at, end, tag); fault != WireFault::none) return fault;
  if ((tag >> 3) == 0 || (tag >> 3) > kMaxFieldNumber) return WireFault::bad_tag;
  field.number = static_cast<std::uint32_t>(tag >> 3);
  field.value = at;
  switch (tag & 7) {
    case 0: {
      field.type = WireType::varint;
      if (const WireFault fault = read_varint(at, end, field.scalar); fault != WireFault::none) return fault;
      field.next = at;
      return WireFault::none;
    }
    case 1:
    case 5: {
      field.type = (tag & 7) == 1 ? WireType::fixed64 : WireType::fixed32;
      const int size = field.type == WireType::fixed64 ? 8 : 4;
      if (end - at < size) return WireFault::cut;
      field.next = at + size;
      return WireFault::none;
    }
    case 2: {
      field.type = WireType::bytes;
      field.length_at = at;
      std::uint64_t length = 0;
      if (const WireFault fault = read_varint(at, end, length); fault != WireFault::none) return fault;
      const auto room = static_cast<std::uint64_t>(end - at);
      field.value = at;
      field.missing = length > room ? length - room : 0;
      field.next = length > room ? end : at + length;
      return WireFault::none;
    }
    default:
      return WireFault::bad_tag;
  }
}

std::int64_t count_packed_varints(std::string_view packed) {
  std::int64_t count = 0;
  int run = 0;
  for (const char c : packed) {
    const bool last = static_cast<unsigned char>(c) < 0x80;
    if (++run > kMaxVarintBytes) return -1;
    if (last) {
      ++count;
      run = 0;
    }
  }
  return run == 0 ? count : -1;
}

}  // namespace layersim
