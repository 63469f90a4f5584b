#include "sim/import/onnx_schema.h"

namespace layersim::onnx_schema {
namespace {

constexpr Rule number(const char* name) { return {Field::number, Message::none, false, name}; }
constexpr Rule text(const char* name, bool repeated = false) {
  return {Field::text, Message::none, repeated, name};
}
constexpr Rule one(Message child, const char* name) { return {Field::message, child, false, name}; }
constexpr Rule many(Message child, const char* name) { return {Field::message, child, true, name}; }
constexpr Rule payload(Field field, const char* name) { return {field, Message::none, true, name, true}; }

constexpr auto kModel = [] {
  Rules r{};
  r[1] = number("ir_version");
  r[2] = text("producer_name");
  r[model_field::kGraph] = one(Message::graph, "graph");
  r[8] = many(Message::opset, "opset_import");
  r[25] = many(Message::function, "function");
  return r;
}();

constexpr auto kGraph = [] {
  Rules r{};
  r[graph_field::kNode] = many(Message::node, "node");
  r[2] = text("name");
  r[graph_field::kInitializer] = many(Message::tensor, "initializer");
  r[11] = many(Message::value_info, "input");
  r[12] = many(Message::value_info, "output");
  r[graph_field::kValueInfo] = many(Message::value_info, "value_info");
  r[15] = many(Message::sparse_tensor, "sparse_initializer");
  return r;
}();

constexpr auto kNode = [] {
  Rules r{};
  r[1] = text("input", true);
  r[2] = text("output", true);
  r[3] = text("name");
  r[4] = text("op_type");
  r[5] = many(Message::attribute, "attribute");
  r[7] = text("domain");
  r[8] = text("overload");
  return r;
}();

constexpr auto kAttribute = [] {
  Rules r{};
  r[1] = text("name");
  r[2] = {Field::real, Message::none, false, "f"};
  r[3] = number("i");
  r[4] = {Field::text, Message::none, false, "s", true};
  r[5] = one(Message::tensor, "t");
  r[6] = one(Message::graph, "g");
  r[7] = payload(Field::reals, "floats");
  r[8] = payload(Field::numbers, "ints");
  r[9] = payload(Field::text, "strings");
  r[10] = many(Message::tensor, "tensors");
  r[11] = many(Message::graph, "graphs");
  r[14] = one(Message::type, "tp");
  r[15] = many(Message::type, "type_protos");
  r[20] = number("type");
  r[21] = text("ref_attr_name");
  r[22] = one(Message::sparse_tensor, "sparse_tensor");
  r[23] = many(Message::sparse_tensor, "sparse_tensors");
  return r;
}();

constexpr auto kTensor = [] {
  Rules r{};
  r[tensor_field::kDims] = {Field::numbers, Message::none, true, "dims"};
  r[tensor_field::kDataType] = number("data_type");
  r[4] = payload(Field::reals, "float_data");
  r[5] = payload(Field::numbers, "int32_data");
  r[6] = payload(Field::text, "string_data");
  r[7] = payload(Field::numbers, "int64_data");
  r[8] = text("name");
  r[9] = payload(Field::text, "raw_data");
  r[10] = payload(Field::doubles, "double_data");
  r[11] = payload(Field::numbers, "uint64_data");
  r[13] = many(Message::entry, "external_data");
  r[14] = number("data_location");
  return r;
}();

constexpr auto kSparseTensor = [] {
  Rules r{};
  r[1] = one(Message::tensor, "values");
  r[2] = one(Message::tensor, "indices");
  r[3] = {Field::numbers, Message::none, true, "dims"};
  return r;
}();

constexpr auto kValueInfo = [] {
  Rules r{};
  r[1] = text("name");
  r[2] = one(Message::type, "type");
  return r;
}();

constexpr auto kType = [] {
  Rules r{};
  r[1] = one(Message::tensor_type, "tensor_type");
  r[4] = one(Message::element_type, "sequence_type");
  r[5] = one(Message::map_type, "map_type");
  r[7] = one(Message::opaque_type, "opaque_type");
  r[8] = one(Message::tensor_type, "sparse_tensor_type");
  r[9] = one(Message::element_type, "optional_type");
  return r;
}();

constexpr auto kTensorType = [] {
  Rules r{};
  r[1] = number("elem_type");
  r[2] = one(Message::shape, "shape");
  return r;
}();

constexpr auto kElementType = [] {
  Rules r{};
  r[1] = one(Message::type, "elem_type");
  return r;
}();

constexpr auto kMapType = [] {
  Rules r{};
  r[1] = number("key_type");
  r[2] = one(Message::type, "value_type");
  return r;
}();

constexpr auto kOpaqueType = [] {
  Rules r{};
  r[1] = text("domain");
  r[2] = text("name");
  return r;
}();

constexpr auto kShape = [] {
  Rules r{};
  r[1] = many(Message::dim, "dim");
  return r;
}();

constexpr auto kDim = [] {
  Rules r{};
  r[1] = number("dim_value");
  r[2] = text("dim_param");
  return r;
}();

constexpr auto kOpset = [] {
  Rules r{};
  r[1] = text("domain");
  r[2] = number("version");
  return r;
}();

constexpr auto kFunction = [] {
  Rules r{};
  r[1] = text("name");
  r[4] = text("input", true);
  r[5] = text("output", true);
  r[6] = text("attribute", true);
  r[7] = many(Message::node, "node");
  r[9] = many(Message::opset, "opset_import");
  r[10] = text("domain");
  r[newer_field::kFunctionAttribute] = many(Message::attribute, "attribute_proto");
  r[newer_field::kFunctionValueInfo] = many(Message::value_info, "value_info");
  r[newer_field::kFunctionOverload] = text("overload");
  return r;
}();

constexpr auto kEntry = [] {
  Rules r{};
  r[1] = text("key");
  r[2] = text("value");
  return r;
}();

constexpr Rules kNone{};

}  // namespace

const Rules& rules(Message message) {
  switch (message) {
    case Message::none:
      return kNone;
    case Message::model:
      return kModel;
    case Message::graph:
      return kGraph;
    case Message::node:
      return kNode;
    case Message::attribute:
      return kAttribute;
    case Message::tensor:
      return kTensor;
    case Message::sparse_tensor:
      return kSparseTensor;
    case Message::value_info:
      return kValueInfo;
    case Message::type:
      return kType;
    case Message::tensor_type:
      return kTensorType;
    case Message::element_type:
      return kElementType;
    case Message::map_type:
      return kMapType;
    case Message::opaque_type:
      return kOpaqueType;
    case Message::shape:
      return kShape;
    case Message::dim:
      return kDim;
    case Message::opset:
      return kOpset;
    case Message::function:
      return kFunction;
    case Message::entry:
      return kEntry;
  }
  return kNone;
}

}  // namespace layersim::onnx_schema
