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

class UniqueNames {
 public:
  explicit UniqueNames(std::size_t count) { taken_.reserve(count); }

  // Appends a number to a name that is taken. The text must stay where it is.
  void claim(std::string& name) {
    if (taken_.insert(name).second) return;
    const std::string base = name;
    int& number = next_.try_emplace(base, 2).first->second;
    do {
      name = base + "_" + std::to_string(number++);
    } while (!taken_.insert(name).second);
  }

 private:
  std::unordered_set<std::string_view> taken_;
  std::unordered_map<std::string, int> next_;
};

// A layer without name is called after its first output.
void make_names_unique(const Graph& graph, std::vector<Layer>& layers) {
  UniqueNames names(2 * layers.size());
  for (Layer& layer : layers) {
    if (layer.name.empty())
      layer.name = layer.outputs.empty() ? layer.op : graph.value(layer.outputs.front()).name;
    if (layer.name.empty()) layer.name = layer.op;
    names.claim(layer.name);
    if (layer.fused) names.claim(layer.fused->name);
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
