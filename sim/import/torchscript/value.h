#pragma once
// A value of a TorchScript program while the neutral graph is made: what the file fixes is known as it is,
// tensors are values of the graph, and a number that is computed from shapes is a scalar of the graph, so
// that it follows another batch.

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "sim/graph/graph.h"

namespace layersim {

struct TorchValue;

struct TorchNone {};
struct TorchUnknown {
  std::string what;  // for messages
};
// A module or another object of the file.
struct TorchObject {
  std::string what;
};
struct TorchTensorValue {
  ValueId id = kNoValue;
};
// A number or truth value that the graph computes, in a tensor of rank 0.
struct TorchNumber {
  ValueId id = kNoValue;
};
// A list, a tuple, or the keys and values of a dictionary in turn. Shared, since lists grow in place.
struct TorchSequence {
  enum class Kind : unsigned char { list, tuple, dictionary };
  Kind kind = Kind::list;
  std::vector<TorchValue> items;
};

struct TorchValue {
  std::variant<TorchUnknown, TorchNone, TorchObject, bool, std::int64_t, double, std::string,
               TorchTensorValue, TorchNumber, std::shared_ptr<TorchSequence>>
      data;

  TorchValue() = default;
  TorchValue(decltype(data) value) : data(std::move(value)) {}  // NOLINT: any of the alternatives
  template <typename T>
  [[nodiscard]] const T* get() const {
    return std::get_if<T>(&data);
  }
  [[nodiscard]] bool is_none() const { return get<TorchNone>() != nullptr; }
  [[nodiscard]] bool is_tensor() const { return get<TorchTensorValue>() != nullptr; }
  [[nodiscard]] TorchSequence* sequence() const {
    const auto* shared = get<std::shared_ptr<TorchSequence>>();
    return shared == nullptr ? nullptr : shared->get();
  }
  // A bool, integer, real or computed number.
  [[nodiscard]] bool is_number() const {
    return get<bool>() != nullptr || get<std::int64_t>() != nullptr || get<double>() != nullptr ||
           get<TorchNumber>() != nullptr;
  }
};

[[nodiscard]] inline TorchValue make_sequence(TorchSequence::Kind kind, std::vector<TorchValue> items) {
  return TorchValue(std::make_shared<TorchSequence>(TorchSequence{kind, std::move(items)}));
}

}  // namespace layersim
