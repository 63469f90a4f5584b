#include "sim/core/dtype.h"

#include <array>

namespace layersim {
namespace {

struct DTypeRow {
  DType dtype;
  std::string_view name;
  int bits;
};

constexpr std::array kRows{
    DTypeRow{DType::unknown, "unknown", 0}, DTypeRow{DType::f64, "f64", 64},
    DTypeRow{DType::f32, "f32", 32},        DTypeRow{DType::f16, "f16", 16},
    DTypeRow{DType::bf16, "bf16", 16},      DTypeRow{DType::f8e4m3, "f8e4m3", 8},
    DTypeRow{DType::f8e5m2, "f8e5m2", 8},   DTypeRow{DType::f4, "f4", 4},
    DTypeRow{DType::i64, "i64", 64},        DTypeRow{DType::i32, "i32", 32},
    DTypeRow{DType::i16, "i16", 16},        DTypeRow{DType::i8, "i8", 8},
    DTypeRow{DType::i4, "i4", 4},           DTypeRow{DType::u64, "u64", 64},
    DTypeRow{DType::u32, "u32", 32},        DTypeRow{DType::u16, "u16", 16},
    DTypeRow{DType::u8, "u8", 8},           DTypeRow{DType::u4, "u4", 4},
    DTypeRow{DType::boolean, "bool", 8},    DTypeRow{DType::c64, "c64", 64},
    DTypeRow{DType::c128, "c128", 128},     DTypeRow{DType::string, "string", 0},
};

const DTypeRow& row(DType dtype) { return kRows.at(static_cast<std::size_t>(dtype)); }

}  // namespace

int bits(DType dtype) { return row(dtype).bits; }

bool is_float(DType dtype) { return dtype >= DType::f64 && dtype <= DType::f4; }

bool is_integer(DType dtype) { return dtype >= DType::i64 && dtype <= DType::u4; }

std::string_view name(DType dtype) { return row(dtype).name; }

std::optional<DType> parse_dtype(std::string_view name) {
  for (const auto& candidate : kRows) {
    if (candidate.name == name) return candidate.dtype;
  }
  return std::nullopt;
}

}  // namespace layersim
