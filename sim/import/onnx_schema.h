#pragma once
// Field numbers of onnx.proto (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto3, ONNX 1.18) that the
// importer reads, by message. Fields that are not listed are jumped over.

#include <array>
#include <cstdint>

namespace layersim::onnx_schema {

enum class Message : unsigned char {
  none,
  model,
  graph,
  node,
  attribute,
  tensor,
  sparse_tensor,
  value_info,
  type,
  tensor_type,
  element_type,  // Sequence, Optional: a type inside a type
  map_type,
  opaque_type,
  shape,
  dim,
  opset,
  function,
  entry,
};

enum class Field : unsigned char {
  drop,     // known or not: of no use here
  number,   // varint
  real,     // fixed32
  text,     // string or bytes
  numbers,  // repeated varint, packed or not
  reals,    // repeated fixed32, packed or not
  doubles,  // repeated fixed64, packed or not
  message,
};

struct Rule {
  Field field = Field::drop;
  Message child = Message::none;
  bool repeated = false;
  const char* name = "";
  bool payload = false;  // contents of a tensor, or a list or text of an attribute: may be too large to read
};

inline constexpr std::uint32_t kFieldCount = 27;  // one more than the highest number
using Rules = std::array<Rule, kFieldCount>;

// The rules of a message, by field number.
[[nodiscard]] const Rules& rules(Message message);

namespace model_field {
inline constexpr std::uint32_t kGraph = 7;
}  // namespace model_field

namespace graph_field {
inline constexpr std::uint32_t kNode = 1;
inline constexpr std::uint32_t kInitializer = 5;
inline constexpr std::uint32_t kDocString = 10;
inline constexpr std::uint32_t kValueInfo = 13;
}  // namespace graph_field

namespace node_field {
inline constexpr std::uint32_t kOutput = 2;
inline constexpr std::uint32_t kName = 3;
inline constexpr std::uint32_t kAttribute = 5;
inline constexpr std::uint32_t kDocString = 6;
}  // namespace node_field

namespace attribute_field {
inline constexpr std::uint32_t kGraph = 6;
inline constexpr std::uint32_t kGraphs = 11;
}  // namespace attribute_field

namespace tensor_field {
inline constexpr std::uint32_t kDims = 1;
inline constexpr std::uint32_t kDataType = 2;
}  // namespace tensor_field

// Fields that libonnx 1.12 does not know; they arrive as unknown fields of its classes.
namespace newer_field {
inline constexpr int kNodeOverload = 8;
inline constexpr int kFunctionAttribute = 11;  // AttributeProto: an attribute with its default
inline constexpr int kFunctionValueInfo = 12;
inline constexpr int kFunctionOverload = 13;
}  // namespace newer_field

}  // namespace layersim::onnx_schema
