#include "sim/core/shape.h"

#include <algorithm>

#include "sim/core/error.h"

namespace layersim {

bool is_known(const Shape& shape) {
  return std::all_of(shape.begin(), shape.end(), [](std::int64_t size) { return size >= 0; });
}

std::int64_t element_count(const Shape& shape) { return element_count(shape, 0, shape.size()); }

std::int64_t element_count(const Shape& shape, std::size_t first, std::size_t last) {
  std::int64_t count = 1;
  bool empty = false;
  for (std::size_t axis = first; axis < last; ++axis) {
    const std::int64_t size = shape.at(axis);
    if (size < 0) throw bad_input("shape " + to_string(shape) + " has a size that is not known");
    if (size == 0) {
      empty = true;
      continue;
    }
    if (size > kMaxElements / count) {
      throw bad_input("shape " + to_string(shape) + " has more than 2^53 elements");
    }
    count *= size;
  }
  return empty ? 0 : count;
}

void check_limits(const Shape& shape) {
  if (shape.size() > kMaxRank) throw bad_input("a tensor of rank " + std::to_string(shape.size()));
  if (is_known(shape)) {
    static_cast<void>(element_count(shape));
    return;
  }
  Shape known;
  for (const std::int64_t size : shape) {
    if (size < kUnknownDim) throw bad_input("a size of " + std::to_string(size));
    if (size > 0) known.push_back(size);
  }
  static_cast<void>(element_count(known));
}

std::string to_string(const Shape& shape) {
  if (shape.empty()) return "scalar";
  std::string text;
  for (const std::int64_t size : shape) {
    if (!text.empty()) text += 'x';
    text += size < 0 ? "?" : std::to_string(size);
  }
  return text;
}

Shape broadcast(const Shape& a, const Shape& b) {
  const Shape& longer = a.size() >= b.size() ? a : b;
  const Shape& shorter = a.size() >= b.size() ? b : a;
  Shape result = longer;
  const std::size_t offset = longer.size() - shorter.size();
  for (std::size_t axis = 0; axis < shorter.size(); ++axis) {
    std::int64_t& size = result[offset + axis];
    const std::int64_t other = shorter[axis];
    if (size == other || other == 1) continue;
    if (size == 1 || size == kUnknownDim) {
      size = other;
    } else if (other != kUnknownDim) {
      throw bad_input("shapes " + to_string(a) + " and " + to_string(b) + " do not broadcast");
    }
  }
  return result;
}

}  // namespace layersim
