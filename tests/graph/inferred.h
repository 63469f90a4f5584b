#pragma once
// A network in text form with its shapes, for tests.

#include <string>
#include <string_view>

#include "sim/core/error.h"
#include "sim/graph/graph_text.h"
#include "sim/graph/infer_shapes.h"

namespace layersim::tests {

struct Inferred {
  Graph graph;
  Warnings warnings;

  [[nodiscard]] const Value& value(std::string_view name) const {
    for (const Value& candidate : graph.values) {
      if (candidate.name == name) return candidate;
    }
    throw internal_error("no value '" + std::string(name) + "'");
  }
  // "f32 2x3"; "f32 -" without a shape.
  [[nodiscard]] std::string type(std::string_view name) const {
    const Tensor& tensor = value(name).tensor;
    return std::string(layersim::name(tensor.dtype)) + ' ' + (tensor.shape ? to_string(*tensor.shape) : "-");
  }
  // "1 2 ?"; "-" when not known.
  [[nodiscard]] std::string ints(std::string_view name) const {
    const Tensor& tensor = value(name).tensor;
    if (tensor.constant == nullptr) return "-";
    std::string text;
    for (const std::int64_t number : tensor.constant->ints) {
      text += (text.empty() ? "" : " ") + (number == kUnknownInt ? "?" : std::to_string(number));
    }
    return text;
  }
  [[nodiscard]] std::string all_warnings() const {
    std::string text;
    for (const auto& warning : warnings.all()) text += warning + '\n';
    return text;
  }
};

inline Inferred infer(Graph graph, const ShapeBindings& bindings = {}) {
  Inferred result{std::move(graph), {}};
  bind_inputs(result.graph, bindings, result.warnings);
  infer_shapes(result.graph, bindings, result.warnings);
  return result;
}

inline Inferred infer_text(const std::string& text, const ShapeBindings& bindings = {}) {
  return infer(parse_graph_text(text), bindings);
}

// "" when nothing is wrong.
inline std::string error_of(const std::string& text, const ShapeBindings& bindings = {}) {
  try {
    infer_text(text, bindings);
  } catch (const Error& error) {
    return (error.kind() == ErrorKind::bad_use ? "use: " : "input: ") + std::string(error.what());
  }
  return "";
}

}  // namespace layersim::tests
