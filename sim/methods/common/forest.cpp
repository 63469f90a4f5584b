#include "sim/methods/common/forest.h"

#include <algorithm>

#include "sim/core/error.h"

namespace layersim {
namespace {

// Numbers that are exact as float.
constexpr std::size_t kMostNodes = std::size_t{1} << 24;

}  // namespace

double Forest::predict(std::span<const float> features) const {
  double sum = base;
  for (const std::int32_t root : roots) {
    const ForestNode* node = &nodes[static_cast<std::size_t>(root)];
    while (node->feature >= 0) {
      const bool goes_left = features[static_cast<std::size_t>(node->feature)] < node->threshold;
      node = &nodes[static_cast<std::size_t>(goes_left ? node->left : node->right)];
    }
    sum += static_cast<double>(node->threshold);
  }
  return sum;
}

bool Forest::reads(std::int32_t feature) const {
  return std::any_of(nodes.begin(), nodes.end(),
                     [&](const ForestNode& node) { return node.feature == feature; });
}

void scale(Forest& forest, double factor) {
  const auto times = static_cast<float>(factor);
  forest.base *= times;
  for (ForestNode& node : forest.nodes) {
    if (node.feature < 0) node.threshold *= times;
  }
}

void store_forest(ArrayGroup& group, const std::string& name, const Forest& forest) {
  if (forest.nodes.size() > kMostNodes) throw internal_error("a forest of more than 2^24 nodes");
  StoredArray nodes{{}, 4};
  for (const ForestNode& node : forest.nodes) {
    nodes.values.insert(nodes.values.end(), {static_cast<float>(node.feature), node.threshold,
                                             static_cast<float>(node.left), static_cast<float>(node.right)});
  }
  StoredArray roots{{forest.base}, 1};
  for (const std::int32_t root : forest.roots) roots.values.push_back(static_cast<float>(root));
  group.arrays[name + "_nodes"] = std::move(nodes);
  group.arrays[name + "_roots"] = std::move(roots);
}

Forest load_forest(const ArrayGroup& group, const std::string& name, std::size_t features) {
  const StoredArray& nodes = group.array(name + "_nodes");
  const StoredArray& roots = group.array(name + "_roots");
  if (nodes.columns != 4 || roots.values.empty()) throw bad_input("forest '" + name + "' is damaged");
  const auto count = static_cast<float>(nodes.rows());
  Forest forest;
  for (std::size_t i = 0; i < nodes.rows(); ++i) {
    const float* cell = nodes.values.data() + i * 4;
    // Children come after their parent: no walk can go on for ever.
    const auto is_child = [&](float child) { return child > static_cast<float>(i) && child < count; };
    if (cell[0] >= 0 && !(cell[0] < static_cast<float>(features) && is_child(cell[2]) && is_child(cell[3])))
      throw bad_input("forest '" + name + "' is damaged");
    forest.nodes.push_back({static_cast<std::int32_t>(cell[0]), cell[1], static_cast<std::int32_t>(cell[2]),
                            static_cast<std::int32_t>(cell[3])});
  }
  forest.base = roots.values[0];
  for (std::size_t i = 1; i < roots.values.size(); ++i) {
    if (!(roots.values[i] >= 0 && roots.values[i] < count))
      throw bad_input("forest '" + name + "' is damaged");
    forest.roots.push_back(static_cast<std::int32_t>(roots.values[i]));
  }
  return forest;
}

}  // namespace layersim
