#include <set>

#include "sim/decompose/decompose.h"

namespace layersim {

std::string unmodelled_warning(const Network& network) {
  constexpr std::size_t kMostNamed = 5;
  std::size_t layers = 0;
  std::set<std::string> operators;
  for (const Layer& layer : network.layers) {
    if (layer.problem.kind != nullptr) continue;
    ++layers;
    operators.insert(layer.op);
  }
  if (layers == 0) return "";
  std::string names;
  std::size_t named = 0;
  for (const std::string& name : operators) {
    if (++named > kMostNamed) break;
    names += (names.empty() ? "" : ", ") + name;
  }
  if (operators.size() > kMostNamed) names += " and others";
  return std::to_string(layers) + (layers == 1 ? " layer has" : " layers have") + " no model (" + names +
         "): estimated from bytes where these are known";
}

}  // namespace layersim
