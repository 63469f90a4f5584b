#include "sim/import/raw_elements.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace layersim {
namespace {

static_assert(std::endian::native == std::endian::little);

template <typename T>
T load(std::string_view raw, std::size_t index) {
  T value;
  std::memcpy(&value, raw.data() + index * sizeof(T), sizeof(T));
  return value;
}

template <typename T>
void store(std::string& raw, T value) {
  raw.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

std::int64_t load_integer(std::string_view raw, DType dtype, std::size_t index) {
  switch (dtype) {
    case DType::i64:
      return to_element(load<std::int64_t>(raw, index));
    case DType::u64:
      return to_element(load<std::uint64_t>(raw, index));
    case DType::i32:
      return load<std::int32_t>(raw, index);
    case DType::u32:
      return load<std::uint32_t>(raw, index);
    case DType::i16:
      return load<std::int16_t>(raw, index);
    case DType::u16:
      return load<std::uint16_t>(raw, index);
    case DType::i8:
      return load<std::int8_t>(raw, index);
    case DType::boolean:
      return load<std::uint8_t>(raw, index) != 0 ? 1 : 0;
    case DType::i4:
    case DType::u4: {
      const int nibble = (load<std::uint8_t>(raw, index / 2) >> (index % 2 == 0 ? 0 : 4)) & 0xf;
      return dtype == DType::i4 && nibble > 7 ? nibble - 16 : nibble;
    }
    default:
      return load<std::uint8_t>(raw, index);
  }
}

double load_real(std::string_view raw, DType dtype, std::size_t index) {
  switch (dtype) {
    case DType::f64:
      return load<double>(raw, index);
    case DType::f32:
      return static_cast<double>(load<float>(raw, index));
    case DType::f16:
      return decode_f16(load<std::uint16_t>(raw, index));
    default:
      return decode_bf16(load<std::uint16_t>(raw, index));
  }
}

std::uint16_t encode_f16(double value) {
  const unsigned sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::fabs(value);
  unsigned encoded = 0x7c00;  // infinity
  if (std::isnan(value)) {
    encoded = 0x7e00;
  } else if (magnitude < 0x1p-14) {
    encoded = static_cast<unsigned>(std::nearbyint(std::ldexp(magnitude, 24)));
  } else if (magnitude < 65520) {  // above, rounding reaches infinity
    const int exponent = std::ilogb(magnitude);
    const auto mantissa = static_cast<unsigned>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
    encoded = (static_cast<unsigned>(exponent + 15) << 10) + mantissa - 1024;
  }
  return static_cast<std::uint16_t>(sign | encoded);
}

std::uint16_t encode_bf16(double value) {
  const auto encoded = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  if (std::isnan(value)) return 0x7fc0;
  return static_cast<std::uint16_t>((encoded + 0x7fff + ((encoded >> 16) & 1)) >> 16);
}

}  // namespace

double decode_f16(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1f;
  const int mantissa = bits & 0x3ff;
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == 0x1f) return mantissa == 0 ? sign * HUGE_VAL : std::nan("");
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(mantissa + 1024, exponent - 25);
}

double decode_bf16(std::uint16_t bits) {
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
}

std::int64_t to_element(std::uint64_t value) {
  constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return static_cast<std::int64_t>(std::min(value, kMax));
}

std::int64_t to_element(std::int64_t value) { return value == kUnknownInt ? value + 1 : value; }

bool has_raw_form(DType dtype) {
  return is_integer(dtype) || dtype == DType::boolean || (is_float(dtype) && bits(dtype) >= 16);
}

Constant from_raw(std::string_view raw, DType dtype, std::size_t count) {
  Constant constant;
  for (std::size_t i = 0; i < count; ++i) {
    if (is_float(dtype)) {
      constant.reals.push_back(load_real(raw, dtype, i));
    } else {
      constant.ints.push_back(load_integer(raw, dtype, i));
    }
  }
  return constant;
}

std::string to_raw(const Constant& constant, DType dtype) {
  std::string raw;
  for (const double value : constant.reals) {
    switch (dtype) {
      case DType::f64:
        store(raw, value);
        break;
      case DType::f32:
        store(raw, static_cast<float>(value));
        break;
      case DType::f16:
        store(raw, encode_f16(value));
        break;
      default:
        store(raw, encode_bf16(value));
        break;
    }
  }
  for (std::size_t i = 0; i < constant.ints.size(); ++i) {
    const std::int64_t value = constant.ints[i];
    switch (bits(dtype)) {
      case 64:
        store(raw, value);
        break;
      case 32:
        store(raw, static_cast<std::int32_t>(value));
        break;
      case 16:
        store(raw, static_cast<std::int16_t>(value));
        break;
      case 8:
        store(raw, static_cast<std::int8_t>(value));
        break;
      default: {
        const auto nibble = static_cast<unsigned>(value & 0xf);
        if (i % 2 == 0) {
          raw.push_back(static_cast<char>(nibble));
        } else {
          raw.back() = static_cast<char>(static_cast<unsigned char>(raw.back()) | (nibble << 4));
        }
      }
    }
  }
  return raw;
}

}  // namespace layersim
