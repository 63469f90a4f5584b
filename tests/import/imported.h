#pragma once
// Imports models in tests, and asks what came of them.

#include <catch2/catch.hpp>

#include "sim/core/error.h"
#include "sim/import/importer.h"
#include "tests/import/model_builder.h"

namespace layersim::tests {

inline Graph import_model(const onnx::ModelProto& model, Warnings& warnings) {
  return import_onnx_bytes(model.SerializeAsString(), "test.onnx", warnings);
}

inline Graph import_model(const onnx::ModelProto& model) {
  Warnings warnings;
  Graph graph = import_model(model, warnings);
  CHECK(warnings.all().empty());
  return graph;
}

// The line that the user sees.
inline std::string import_error(const std::string& bytes) {
  Warnings warnings;
  try {
    static_cast<void>(import_onnx_bytes(bytes, "test.onnx", warnings));
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::bad_input);
    const std::string line = error.what();
    CHECK(line.find('\n') == std::string::npos);
    CHECK(line.starts_with("test.onnx: "));
    return line;
  }
  return "no error";
}
inline std::string import_error(const onnx::ModelProto& model) {
  return import_error(model.SerializeAsString());
}

inline const Value* find_value(const Graph& graph, const std::string& name) {
  for (const auto& value : graph.values) {
    if (value.name == name) return &value;
  }
  return nullptr;
}

inline const Value& value_of(const Graph& graph, const std::string& name) {
  const Value* value = find_value(graph, name);
  INFO(name);
  REQUIRE(value != nullptr);
  return *value;
}

inline Names names_of(const Graph& graph, const std::vector<ValueId>& ids) {
  Names names;
  for (const ValueId id : ids) names.push_back(id == kNoValue ? "" : graph.value(id).name);
  return names;
}

inline Names ops_of(const Graph& graph) {
  Names ops;
  for (const auto& node : graph.nodes) ops.push_back(node.op);
  return ops;
}

}  // namespace layersim::tests
