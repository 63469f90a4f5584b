#include "sampler/network/torch/random_inputs.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <unordered_map>

#include "sampler/network/torch/torch_dtype.h"
#include "sim/core/error.h"

namespace layersim {
namespace {

// Integers that index nothing are flags or kinds of a token: 0 or 1.
constexpr std::int64_t kFlags = 2;

// Operators that hand integers on unchanged.
bool passes_on(std::string_view op) {
  constexpr std::array kOps =
      std::to_array<std::string_view>({"Cast", "Reshape", "Unsqueeze", "Squeeze", "Transpose", "Slice",
                                       "Flatten", "Identity", "Expand", "Split"});
  return std::find(kOps.begin(), kOps.end(), op) != kOps.end();
}

std::int64_t indexed_size(const Graph& graph, const Node& gather) {
  const auto& shape = graph.value(gather.inputs[0]).tensor.shape;
  if (!shape || shape->empty()) return kFlags;
  const std::int64_t axis = gather.int_attribute("axis").value_or(0);
  const std::int64_t rank = static_cast<std::int64_t>(shape->size());
  return shape->at(static_cast<std::size_t>(axis < 0 ? axis + rank : axis));
}

// For each value that ends as an index, the smallest size of what it indexes.
std::unordered_map<ValueId, std::int64_t> index_limits(const Graph& graph) {
  std::unordered_map<ValueId, std::int64_t> limits;
  const auto limit = [&](ValueId id, std::int64_t size) {
    const auto [place, is_new] = limits.try_emplace(id, size);
    if (!is_new) place->second = std::min(place->second, size);
  };
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    if (node->op == "Gather" || node->op == "GatherElements")
      limit(node->input(1), indexed_size(graph, *node));
    if (!passes_on(node->op)) continue;
    for (const ValueId output : node->outputs) {
      if (const auto found = limits.find(output); found != limits.end()) limit(node->input(0), found->second);
    }
  }
  return limits;
}

}  // namespace

std::vector<at::Tensor> random_inputs(const Graph& graph, at::Generator& generator) {
  const auto limits = index_limits(graph);
  std::vector<at::Tensor> inputs;
  for (const ValueId id : graph.inputs) {
    const Value& value = graph.value(id);
    if (!value.tensor.shape || !is_known(*value.tensor.shape)) {
      throw Error(ErrorKind::nothing_predicted, "the shape of the input '" + value.name + "' is not known");
    }
    const at::ScalarType dtype = torch_dtype(value.tensor.dtype);
    if (at::isFloatingType(dtype)) {
      inputs.push_back(at::randn(*value.tensor.shape, generator, at::kFloat).to(dtype));
      continue;
    }
    const auto found = limits.find(id);
    const std::int64_t limit = found == limits.end() ? kFlags : std::max<std::int64_t>(found->second, 1);
    inputs.push_back(at::randint(0, limit, *value.tensor.shape, generator, at::kLong).to(dtype));
  }
  return inputs;
}

}  // namespace layersim
