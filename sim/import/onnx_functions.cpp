#include "sim/core/error.h"
#include "sim/import/onnx_converter.h"
#include "sim/import/onnx_schema.h"

namespace layersim {
namespace {

std::string overload_of(const google::protobuf::UnknownFieldSet& fields, int number) {
  for (int i = 0; i < fields.field_count(); ++i) {
    const auto& field = fields.field(i);
    if (field.number() == number && field.type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED) {
      return field.length_delimited();
    }
  }
  return "";
}

std::string key_of(std::string_view domain, const std::string& name, const std::string& overload) {
  return std::string(domain) + '\0' + name + '\0' + overload;
}

}  // namespace

void OnnxConverter::read_functions() {
  using onnx_schema::newer_field::kFunctionAttribute;
  using onnx_schema::newer_field::kFunctionOverload;
  using onnx_schema::newer_field::kFunctionValueInfo;
  for (const auto& proto : model_.functions()) {
    OnnxFunction function;
    function.proto = &proto;
    function.opsets = read_opset_imports(proto.opset_import());
    if (function.opsets.standard == 0) function.opsets.standard = opsets_.standard;
    const auto& newer = proto.unknown_fields();
    for (int i = 0; i < newer.field_count(); ++i) {
      const auto& field = newer.field(i);
      if (field.type() != google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED) continue;
      const std::string& bytes = field.length_delimited();
      const bool readable =
          (field.number() != kFunctionAttribute || function.defaults.Add()->ParseFromString(bytes)) &&
          (field.number() != kFunctionValueInfo || function.value_info.Add()->ParseFromString(bytes));
      if (!readable) throw bad_input("function '" + proto.name() + "' cannot be decoded");
    }
    const std::string overload = overload_of(newer, kFunctionOverload);
    const std::string key = key_of(standard_name(proto.domain()), proto.name(), overload);
    if (!functions_.emplace(key, std::move(function)).second) {
      throw bad_input("function '" + proto.name() + "' is defined twice");
    }
  }
}

const OnnxFunction* OnnxConverter::find_function(const Call& call) const {
  if (functions_.empty()) return nullptr;
  const std::string overload =
      overload_of(call.proto.unknown_fields(), onnx_schema::newer_field::kNodeOverload);
  const auto found = functions_.find(key_of(call.domain, call.proto.op_type(), overload));
  return found == functions_.end() ? nullptr : &found->second;
}

void OnnxConverter::inline_function(const Call& call, const OnnxFunction& function, const NameScope& names) {
  constexpr std::size_t kMaxPrefix = 200;
  constexpr std::size_t kBytesPerNode =
      64;  // a rough price, so that a large function cannot be called without end
  const onnx::FunctionProto& proto = *function.proto;
  charge(1 + proto.ByteSizeLong() / kBytesPerNode);

  CallAttributes attributes;
  for (const auto& attribute : call.proto.attribute()) {
    if (const auto* resolved = resolve(attribute, names.call))
      attributes.bindings.push_back({attribute.name(), resolved});
  }
  for (const auto& attribute : function.defaults) {
    if (attributes.find(attribute.name()) == nullptr)
      attributes.bindings.push_back({attribute.name(), &attribute});
  }

  NameScope inner = inside(names, names.scope);
  inner.outer = nullptr;
  inner.opsets = &function.opsets;
  inner.call = &attributes;
  inner.prefix = (names.prefix + (call.proto.name().empty() ? call.proto.op_type() : call.proto.name()))
                     .substr(0, kMaxPrefix) +
                 '/';
  const auto input_count = static_cast<std::size_t>(proto.input_size());
  if (call.inputs.size() > input_count) throw bad_input("has more inputs than its function");
  if (call.outputs.size() > static_cast<std::size_t>(proto.output_size())) {
    throw bad_input("has more outputs than its function");
  }
  for (std::size_t i = 0; i < input_count; ++i) {
    const std::string& name = proto.input(static_cast<int>(i));
    if (!inner.names.insert(name, call.input(i))) {
      throw bad_input("its function has two inputs '" + name + "'");
    }
  }
  // An output that is an input, or an output twice, is no value of its own inside: it is copied.
  std::vector<std::size_t> copied;
  for (std::size_t i = 0; i < call.outputs.size(); ++i) {
    const std::string& name = proto.output(static_cast<int>(i));
    if (call.outputs[i] == kNoValue) continue;
    if (inner.names.contains(name) || !inner.wanted.emplace(name, call.outputs[i]).second)
      copied.push_back(i);
  }
  convert_body(proto.node(), function.value_info, inner);
  for (const auto& [name, id] : inner.wanted) {
    if (!inner.names.contains(name))
      throw bad_input("nothing computes its function's output '" + std::string(name) + "'");
  }
  for (const std::size_t i : copied) {
    Node& node = append(call, "Identity", "", inner);
    node.inputs = {*find(inner, proto.output(static_cast<int>(i)))};
    node.outputs = {call.outputs[i]};
  }
}

}  // namespace layersim
