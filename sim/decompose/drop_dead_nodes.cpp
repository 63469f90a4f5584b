#include <string>

#include "sim/decompose/passes.h"

namespace layersim {
namespace {

std::vector<bool> dead_scopes(const Graph& graph) {
  std::vector<bool> dead(graph.scopes.size(), false);
  for (std::size_t i = 0; i < graph.scopes.size(); ++i) {
    const Scope& scope = graph.scopes[i];
    const bool inherited = scope.parent >= 0 && static_cast<std::size_t>(scope.parent) < i &&
                           dead[static_cast<std::size_t>(scope.parent)];
    dead[i] = scope.dead || inherited;
  }
  return dead;
}

}  // namespace

// Runtimes drop such nodes too, so they cost nothing. A graph that declares no outputs keeps all its nodes.
void drop_dead_nodes(Rewriter& rewriter) {
  const Graph& graph = rewriter.graph();
  const std::vector<bool> dead = dead_scopes(graph);
  for (NodeIndex i = 0; i < rewriter.node_count(); ++i) {
    if (dead[static_cast<std::size_t>(rewriter.node(i).scope)]) rewriter.remove(i);
  }
  if (graph.outputs.empty()) return;

  std::vector<bool> live(graph.nodes.size(), false);
  std::vector<ValueId> open = graph.outputs;
  while (!open.empty()) {
    const NodeIndex producer = rewriter.producer(open.back());
    open.pop_back();
    if (producer == kNoNode || live[static_cast<std::size_t>(producer)]) continue;
    live[static_cast<std::size_t>(producer)] = true;
    for (const ValueId input : rewriter.node(producer).inputs) {
      if (input != kNoValue) open.push_back(input);
    }
  }
  std::size_t dropped = 0;
  std::string first;
  for (NodeIndex i = 0; i < rewriter.node_count(); ++i) {
    if (rewriter.removed(i) || live[static_cast<std::size_t>(i)]) continue;
    if (dropped++ == 0) first = graph.describe(rewriter.node(i));
    rewriter.remove(i);
  }
  if (dropped > 0) {
    rewriter.warnings().add(std::to_string(dropped) + (dropped == 1 ? " node does" : " nodes do") +
                            " not contribute to any output and " + (dropped == 1 ? "is" : "are") +
                            " left out, the first: " + first);
  }
}

}  // namespace layersim
