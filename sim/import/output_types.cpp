#include "sim/import/output_types.h"

#include <algorithm>

#include "sim/core/error.h"
#include "sim/graph/infer_shapes.h"

namespace layersim {
namespace {

std::vector<std::string> symbols_of(const Graph& graph) {
  std::vector<std::string> symbols;
  for (const ValueId id : graph.inputs) {
    const auto& declared = graph.value(id).declared;
    if (!declared) continue;
    for (const DeclaredDim& dim : *declared) {
      const bool known = std::find(symbols.begin(), symbols.end(), dim.symbol) != symbols.end();
      if (!dim.symbol.empty() && !known) symbols.push_back(dim.symbol);
    }
  }
  return symbols;
}

// The outputs when the k-th symbol has the size step * (k + 1). Empty when the network does not work with
// such sizes.
std::vector<Tensor> infer_outputs(Graph graph, const std::vector<std::string>& symbols, std::int64_t step) {
  ShapeBindings bindings;
  for (const auto& symbol : symbols) {
    bindings.dims[symbol] = step * (static_cast<std::int64_t>(bindings.dims.size()) + 1);
  }
  try {
    Warnings ignored;
    bind_inputs(graph, bindings, ignored);
    infer_shapes(graph, bindings, ignored);
  } catch (const Error&) {
    return {};
  }
  std::vector<Tensor> outputs;
  for (const ValueId id : graph.outputs) outputs.push_back(graph.value(id).tensor);
  return outputs;
}

}  // namespace

std::vector<OutputType> find_output_types(const Graph& graph) {
  // Two sizes of each symbol, large enough for a few poolings: an axis that has both is that symbol.
  constexpr std::int64_t kFirstStep = 64;
  constexpr std::int64_t kSecondStep = 96;
  const std::vector<std::string> symbols = symbols_of(graph);
  const std::vector<Tensor> first = infer_outputs(graph, symbols, kFirstStep);
  const std::vector<Tensor> second = infer_outputs(graph, symbols, kSecondStep);
  std::vector<OutputType> types;
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    const Value& value = graph.value(graph.outputs[i]);
    OutputType& type = types.emplace_back(OutputType{value.tensor.dtype, value.declared});
    if (!type.shape && value.tensor.shape) {
      type.shape.emplace();
      for (const std::int64_t size : *value.tensor.shape) type.shape->push_back({size, ""});
    }
    if (first.empty() || second.empty()) continue;
    if (type.dtype == DType::unknown) type.dtype = first[i].dtype;
    if (type.shape || !first[i].shape || !second[i].shape ||
        first[i].shape->size() != second[i].shape->size())
      continue;
    type.shape.emplace();
    for (std::size_t axis = 0; axis < first[i].shape->size(); ++axis) {
      const std::int64_t a = (*first[i].shape)[axis];
      const std::int64_t b = (*second[i].shape)[axis];
      DeclaredDim& dim = type.shape->emplace_back();
      if (a == b) dim.size = a;
      for (std::size_t k = 0; k < symbols.size(); ++k) {
        const auto factor = static_cast<std::int64_t>(k) + 1;
        if (a == kFirstStep * factor && b == kSecondStep * factor) dim.symbol = symbols[k];
      }
    }
  }
  return types;
}

}  // namespace layersim
