#include "sim/import/onnx_attributes.h"

#include "sim/core/error.h"
#include "sim/import/onnx_tensor.h"
#include "sim/import/onnx_wire.h"

namespace layersim {

using onnx::AttributeProto;

const AttributeProto* CallAttributes::find(std::string_view name) const {
  for (const auto& binding : bindings) {
    if (binding.name == name) return binding.proto;
  }
  return nullptr;
}

const AttributeProto* resolve(const AttributeProto& proto, const CallAttributes* call) {
  if (proto.ref_attr_name().empty()) return &proto;
  return call == nullptr ? nullptr : call->find(proto.ref_attr_name());
}

const AttributeProto* find_attribute(const onnx::NodeProto& node, std::string_view name,
                                     const CallAttributes* call) {
  for (const auto& attribute : node.attribute()) {
    if (attribute.name() == name) return resolve(attribute, call);
  }
  return nullptr;
}

AttributeProto::AttributeType type_of(const AttributeProto& proto) {
  if (proto.type() != AttributeProto::UNDEFINED) return proto.type();
  if (proto.has_f()) return AttributeProto::FLOAT;
  if (proto.has_i()) return AttributeProto::INT;
  if (proto.has_s()) return AttributeProto::STRING;
  if (proto.has_t()) return AttributeProto::TENSOR;
  if (proto.has_g()) return AttributeProto::GRAPH;
  if (proto.floats_size() > 0) return AttributeProto::FLOATS;
  if (proto.strings_size() > 0) return AttributeProto::STRINGS;
  if (proto.tensors_size() > 0) return AttributeProto::TENSORS;
  if (proto.graphs_size() > 0) return AttributeProto::GRAPHS;
  return AttributeProto::INTS;
}

bool holds_graph(const AttributeProto& proto) { return proto.has_g() || proto.graphs_size() > 0; }

std::optional<AttributeValue> read_attribute(const AttributeProto& proto, ExternalData& external) {
  switch (type_of(proto)) {
    case AttributeProto::FLOAT:
      return static_cast<double>(proto.f());
    case AttributeProto::INT:
      return proto.i();
    case AttributeProto::STRING:
      return proto.s();
    case AttributeProto::TENSOR:
      return read_tensor(proto.t(), external);
    case AttributeProto::FLOATS:
      return std::vector<double>(proto.floats().begin(), proto.floats().end());
    case AttributeProto::INTS:
      return std::vector<std::int64_t>(proto.ints().begin(), proto.ints().end());
    case AttributeProto::STRINGS:
      return std::vector<std::string>(proto.strings().begin(), proto.strings().end());
    default:
      return std::nullopt;
  }
}

namespace {

Tensor integers(Shape shape, std::vector<std::int64_t> values) {
  Tensor tensor{DType::i64, std::move(shape), nullptr};
  if (values.size() <= static_cast<std::size_t>(kMaxConstantElements)) {
    tensor.constant = std::make_shared<const Constant>(Constant{std::move(values), {}});
  }
  return tensor;
}

Tensor reals(Shape shape, std::vector<double> values) {
  Tensor tensor{DType::f32, std::move(shape), nullptr};
  if (values.size() <= static_cast<std::size_t>(kMaxRealElements)) {
    tensor.constant = std::make_shared<const Constant>(Constant{{}, std::move(values)});
  }
  return tensor;
}

}  // namespace

Tensor read_constant_node(const onnx::NodeProto& node, const CallAttributes* call, ExternalData& external) {
  for (const auto& attribute : node.attribute()) {
    const AttributeProto* proto = resolve(attribute, call);
    if (proto == nullptr) continue;
    const std::string& name = attribute.name();
    if (name == "value") return read_tensor(proto->t(), external);
    if (name == "sparse_value") return read_tensor(proto->sparse_tensor());
    if (name == "value_int") return integers({}, {proto->i()});
    if (name == "value_ints")
      return integers({proto->ints_size()}, {proto->ints().begin(), proto->ints().end()});
    if (name == "value_float") return reals({}, {static_cast<double>(proto->f())});
    if (name == "value_floats") {
      return reals({proto->floats_size()}, {proto->floats().begin(), proto->floats().end()});
    }
    if (name == "value_string") return {DType::string, Shape{}, nullptr};
    if (name == "value_strings") return {DType::string, Shape{proto->strings_size()}, nullptr};
  }
  throw bad_input("holds no value");
}

}  // namespace layersim
