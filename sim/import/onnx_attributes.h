#pragma once
// Attributes of an ONNX node, with references to the attributes of a function's call resolved.

#include <onnx/onnx_pb.h>

#include <string_view>
#include <vector>

#include "sim/graph/graph.h"
#include "sim/import/external_data.h"

namespace layersim {

// The attributes that a function was called with; its defaults included.
struct CallAttributes {
  struct Binding {
    std::string_view name;
    const onnx::AttributeProto* proto;
  };
  std::vector<Binding> bindings;

  [[nodiscard]] const onnx::AttributeProto* find(std::string_view name) const;
};

// The attribute itself, or what the reference stands for; nullptr when the call does not set it. `call` is
// null outside functions.
[[nodiscard]] const onnx::AttributeProto* resolve(const onnx::AttributeProto& proto,
                                                  const CallAttributes* call);
// The attribute of that name, resolved; nullptr when absent.
[[nodiscard]] const onnx::AttributeProto* find_attribute(const onnx::NodeProto& node, std::string_view name,
                                                         const CallAttributes* call);

// The type, found from the contents where an old file does not tell it.
[[nodiscard]] onnx::AttributeProto::AttributeType type_of(const onnx::AttributeProto& proto);

[[nodiscard]] bool holds_graph(const onnx::AttributeProto& proto);

// Nothing for an attribute whose type the graph cannot hold (graphs, lists of tensors, types).
[[nodiscard]] std::optional<AttributeValue> read_attribute(const onnx::AttributeProto& proto,
                                                           ExternalData& external);

// What a Constant node holds. Throws bad_input when it holds nothing.
[[nodiscard]] Tensor read_constant_node(const onnx::NodeProto& node, const CallAttributes* call,
                                        ExternalData& external);

}  // namespace layersim
