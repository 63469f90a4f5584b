#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "sim/core/error.h"
#include "sim/decompose/lower.h"

namespace layersim {
namespace {

void lower_node(Graph& graph, const Node& node, Warnings& warnings, std::vector<Layer>& layers) {
  if (is_free_view(node)) return;
  LoweringContext context(graph, node, warnings, layers);
  const OperatorRule* rule = find_operator(node.domain, node.op);
  if (rule == nullptr) {
    context.unmodelled("no model of this operator");
    return;
  }
  const std::size_t before = layers.size();
  try {
    rule->lower(context);
  } catch (const ShapeUnknown&) {
    layers.resize(before);
    context.unmodelled("a size is known only when the network runs");
  } catch (Error& error) {
    error.within(graph.describe(node));
    throw;
  }
}

// A layer without name is called after its first output; equal names get a number.
void make_names_unique(const Graph& graph, std::vector<Layer>& layers) {
  std::unordered_set<std::string_view> taken;  // names of layers, which stay where they are
  taken.reserve(layers.size());
  std::unordered_map<std::string, int> next;
  for (Layer& layer : layers) {
    if (layer.name.empty())
      layer.name = layer.outputs.empty() ? layer.op : graph.value(layer.outputs.front()).name;
    if (layer.name.empty()) layer.name = layer.op;
    if (taken.insert(layer.name).second) continue;
    const std::string base = layer.name;
    int& number = next.try_emplace(base, 2).first->second;
    do {
      layer.name = base + "_" + std::to_string(number++);
    } while (!taken.insert(layer.name).second);
  }
}

}  // namespace

std::vector<Layer> lower_nodes(Graph& graph, Warnings& warnings) {
  std::vector<Layer> layers;
  layers.reserve(graph.nodes.size());
  for (const Node& node : graph.nodes) lower_node(graph, node, warnings, layers);
  make_names_unique(graph, layers);
  return layers;
}

}  // namespace layersim
