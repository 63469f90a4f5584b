#include "sim/import/torchscript/reader/literals.h"

#include <algorithm>
#include <sstream>

#include "sim/core/error.h"

namespace layersim {
namespace {

DType dtype_of(at::ScalarType type) {
  switch (type) {
    case at::kDouble:
      return DType::f64;
    case at::kFloat:
      return DType::f32;
    case at::kHalf:
      return DType::f16;
    case at::kBFloat16:
      return DType::bf16;
    case at::kLong:
      return DType::i64;
    case at::kInt:
      return DType::i32;
    case at::kShort:
      return DType::i16;
    case at::kChar:
      return DType::i8;
    case at::kByte:
      return DType::u8;
    case at::kBool:
      return DType::boolean;
    case at::kComplexFloat:
      return DType::c64;
    case at::kComplexDouble:
      return DType::c128;
    default:
      return DType::unknown;
  }
}

bool decides_shapes(const TorchTensor& tensor) {
  return is_integer(tensor.dtype) || tensor.dtype == DType::boolean || tensor.shape.empty();
}

// The same for tensors that are one: weights that are used in two places are stored once.
std::string place_of(const at::Tensor& tensor) {
  if (!tensor.has_storage()) throw bad_input("holds a sparse tensor, which has no storage of its own");
  const auto* record = static_cast<const std::string*>(tensor.storage().data_ptr().get_context());
  std::ostringstream place;
  place << (record == nullptr ? "" : *record) << ' ' << tensor.scalar_type() << ' ' << tensor.storage_offset()
        << ' ' << tensor.sizes() << tensor.strides();
  return place.str();
}

// One number that stands for many, as in files whose weights were taken out.
bool is_repeated(const at::Tensor& tensor) {
  for (std::int64_t axis = 0; axis < tensor.dim(); ++axis) {
    if (tensor.size(axis) > 1 && tensor.stride(axis) == 0) return true;
  }
  return false;
}

TorchLiteral plain(TorchLiteral::Kind kind, std::int64_t integer = 0) {
  TorchLiteral literal;
  literal.kind = kind;
  literal.integer = integer;
  return literal;
}

}  // namespace

void LiteralReader::add_parameters(const torch::jit::Module& module) {
  for (const auto& parameter : module.named_parameters())
    add_tensor(parameter.value, parameter.name, true, false);
}

TorchLiteral LiteralReader::literal(const c10::IValue& value, const std::string& name, bool parameter,
                                    bool in_list) {
  using Kind = TorchLiteral::Kind;
  if (value.isNone()) return plain(Kind::none);
  if (value.isBool()) return plain(Kind::boolean, value.toBool() ? 1 : 0);
  if (value.isInt()) return plain(Kind::integer, value.toInt());
  if (value.isTensor() && !value.toTensor().defined()) return plain(Kind::none);
  if (value.isTensor()) return plain(Kind::tensor, add_tensor(value.toTensor(), name, parameter, in_list));
  TorchLiteral literal;
  if (value.isDouble()) {
    literal.kind = Kind::real;
    literal.real = value.toDouble();
  } else if (value.isString() || value.isDevice()) {
    literal.kind = Kind::text;
    literal.text = value.isString() ? value.toStringRef() : value.toDevice().str();
  } else if (value.isList() || value.isTuple()) {
    literal.kind = value.isList() ? Kind::list : Kind::tuple;
    const auto add = [&](const c10::IValue& element) {
      literal.elements.push_back(
          this->literal(element, name + "." + std::to_string(literal.elements.size()), parameter, true));
    };
    if (value.isList()) {
      for (const c10::IValue& element : value.toListRef()) add(element);
    } else {
      for (const c10::IValue& element : value.toTupleRef().elements()) add(element);
    }
  } else {
    literal.kind = Kind::other;
    literal.text = value.tagKind();
  }
  return literal;
}

std::int64_t LiteralReader::find_name(const std::string& name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? -1 : found->second;
}

// A tensor of that place, or -1. Weights that were expanded from one number all have the same place: then the
// next one of the same module ("lstm._flat_weights.3" is the fourth weight of "lstm").
std::int64_t LiteralReader::find_tensor(const std::string& place, const std::string& name) {
  const auto found = tensors_.find(place);
  if (found == tensors_.end()) return -1;
  if (found->second.size() == 1) return found->second.front();
  const std::string list = name.substr(0, name.rfind('.'));
  const std::string module = list.substr(0, list.rfind('.') + 1);
  for (const std::int64_t index : found->second) {
    const std::string& candidate = program_.tensors[static_cast<std::size_t>(index)].name;
    if (candidate.starts_with(module) && taken_.emplace(list, index).second) return index;
  }
  return find_name(name);
}

std::int64_t LiteralReader::add_tensor(const at::Tensor& tensor, const std::string& name, bool parameter,
                                       bool in_list) {
  const std::string place = place_of(tensor);
  const std::int64_t present = !in_list && is_repeated(tensor) ? find_name(name) : find_tensor(place, name);
  if (present >= 0) return present;
  const auto index = static_cast<std::int64_t>(program_.tensors.size());
  tensors_[place].push_back(index);
  TorchTensor copy;
  copy.name = name == "constant" ? name + "." + std::to_string(index) : name;
  by_name_.emplace(copy.name, index);
  copy.dtype = dtype_of(tensor.scalar_type());
  copy.shape.assign(tensor.sizes().begin(), tensor.sizes().end());
  with_context("tensor '" + copy.name + "'", [&] { check_limits(copy.shape); });
  if (std::any_of(copy.shape.begin(), copy.shape.end(), [](std::int64_t size) { return size < 0; })) {
    throw bad_input("tensor '" + copy.name + "' has a negative size");
  }
  copy.parameter = parameter && is_float(copy.dtype);
  if (decides_shapes(copy)) copy.contents = archive_.contents(tensor);
  program_.tensors.push_back(std::move(copy));
  return index;
}

}  // namespace layersim
