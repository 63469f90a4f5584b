#pragma once
// 64-bit arithmetic on sizes that come from files: an overflow is the file's fault, not undefined behaviour.

#include <cstdint>

#include "sim/core/error.h"

namespace layersim {

[[nodiscard]] inline std::int64_t checked_add(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) throw bad_input("a size exceeds 64 bits");
  return result;
}

[[nodiscard]] inline std::int64_t checked_multiply(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) throw bad_input("a size exceeds 64 bits");
  return result;
}

}  // namespace layersim
