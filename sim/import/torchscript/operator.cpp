#include "sim/import/torchscript/operator.h"

#include <unordered_map>

#include "sim/core/error.h"

namespace layersim {
namespace {

std::string_view short_name(std::string_view kind) {
  const std::size_t colon = kind.find("::");
  if (colon != std::string_view::npos) kind.remove_prefix(colon + 2);
  if (kind.ends_with('_') && !kind.ends_with("__")) kind.remove_suffix(1);
  return kind;
}

}  // namespace

TorchCall::TorchCall(TorchConverter& converter, const TorchNode& node, const TorchOperator& op)
    : converter_(converter), op_(op) {
  for (const TorchValueId id : node.inputs) arguments_.push_back(converter.value(id));
}

const TorchValue& TorchCall::operator[](std::size_t i) const {
  static const TorchValue kNone{TorchNone{}};
  return i < arguments_.size() ? arguments_[i] : kNone;
}

ValueId TorchCall::tensor(std::size_t i) const {
  if (const auto* tensor = (*this)[i].get<TorchTensorValue>()) return tensor->id;
  if (const auto* number = (*this)[i].get<TorchNumber>()) return number->id;
  throw ShapeUnknown{};
}

ValueId TorchCall::optional_tensor(std::size_t i) const {
  return (*this)[i].is_none() ? kNoValue : tensor(i);
}

ValueId TorchCall::operand(std::size_t i, ValueId like) const {
  const TorchValue& value = (*this)[i];
  if (value.is_tensor() || value.get<TorchNumber>() != nullptr) return tensor(i);
  const auto real = known_real(converter_, value);
  if (!real) throw ShapeUnknown{};
  return converter_.real_scalar(*real, converter_.tensor(like).dtype);
}

std::vector<ValueId> TorchCall::tensors(std::size_t i) const {
  const TorchSequence* sequence = (*this)[i].sequence();
  if (sequence == nullptr) throw ShapeUnknown{};
  std::vector<ValueId> ids;
  for (const TorchValue& item : sequence->items) {
    const auto* tensor = item.get<TorchTensorValue>();
    if (tensor == nullptr) throw ShapeUnknown{};
    ids.push_back(tensor->id);
  }
  return ids;
}

std::int64_t TorchCall::integer(std::size_t i) const {
  const auto known = known_int(converter_, (*this)[i]);
  if (!known) throw ShapeUnknown{};
  return *known;
}

std::int64_t TorchCall::integer_or(std::size_t i, std::int64_t fallback) const {
  return (*this)[i].is_none() ? fallback : integer(i);
}

double TorchCall::real(std::size_t i) const {
  const auto known = known_real(converter_, (*this)[i]);
  if (!known) throw ShapeUnknown{};
  return *known;
}

std::string TorchCall::text(std::size_t i) const {
  const auto* text = (*this)[i].get<std::string>();
  return text == nullptr ? "" : *text;
}

std::vector<std::int64_t> TorchCall::ints(std::size_t i, std::size_t count) const {
  const TorchSequence* sequence = (*this)[i].sequence();
  if (sequence == nullptr) return std::vector<std::int64_t>(count, integer(i));
  std::vector<std::int64_t> numbers;
  for (const TorchValue& item : sequence->items) {
    const auto known = known_int(converter_, item);
    if (!known) throw ShapeUnknown{};
    numbers.push_back(*known);
  }
  if (numbers.size() == 1) numbers.resize(count, numbers[0]);
  return numbers;
}

ValueId TorchCall::sizes(std::size_t i) const {
  const TorchSequence* sequence = (*this)[i].sequence();
  if (sequence == nullptr) {
    const auto known = known_int(converter_, (*this)[i]);
    if (!known) throw ShapeUnknown{};
    return converter_.ints({*known});
  }
  std::vector<std::int64_t> fixed;
  std::vector<ValueId> parts;
  const auto end_fixed = [&] {
    if (!fixed.empty()) parts.push_back(converter_.ints(std::move(fixed)));
    fixed.clear();
  };
  for (const TorchValue& item : sequence->items) {
    if (item.get<TorchNumber>() == nullptr && !item.is_tensor()) {
      const auto known = known_int(converter_, item);
      if (!known) throw ShapeUnknown{};
      fixed.push_back(*known);
      continue;
    }
    end_fixed();
    const ValueId number = item.is_tensor() ? item.get<TorchTensorValue>()->id : item.get<TorchNumber>()->id;
    parts.push_back(converter_.emit("Unsqueeze", {number, converter_.ints({0})}));
  }
  end_fixed();
  if (parts.empty()) return converter_.ints({});
  return parts.size() == 1 ? parts[0]
                           : converter_.emit("Concat", std::move(parts), {{"axis", std::int64_t{0}}});
}

Shape TorchCall::shape(std::size_t i) const {
  const auto& shape = converter_.tensor(tensor(i)).shape;
  if (!shape) throw ShapeUnknown{};
  return *shape;
}

std::int64_t TorchCall::axis(std::size_t i, std::size_t rank) const {
  return static_cast<std::int64_t>(normalize_axis(integer(i), std::max<std::size_t>(rank, 1)));
}

const TorchOperator* find_torch_operator(std::string_view kind) {
  static const auto kTable = [] {
    std::unordered_map<std::string_view, const TorchOperator*> operators;
    for (const auto family : {torch_windows(), torch_products(), torch_recurrence(), torch_attention(),
                              torch_norms(), torch_elements(), torch_reductions(), torch_layouts(),
                              torch_fills(), torch_scalars(), torch_containers()}) {
      for (const TorchOperator& op : family) operators.emplace(op.name, &op);
    }
    return operators;
  }();
  if (!kind.starts_with("aten::") && !kind.starts_with("prim::")) return nullptr;
  const auto found = kTable.find(short_name(kind));
  return found == kTable.end() ? nullptr : found->second;
}

}  // namespace layersim
