#include "sim/report/blocks.h"

#include <algorithm>
#include <unordered_map>

namespace layersim {
namespace {

struct TreeNode {
  std::string_view prefix;  // of the names of all layers below; a whole name at a leaf
  std::size_t parent = 0;
  std::size_t layers = 0;             // below and at it
  std::vector<std::size_t> children;  // in the order of their first layers
};

// Names deeper than this are not split further: a hostile name may consist of separators alone.
constexpr int kMaxDepth = 16;

bool is_separator(char c) { return c == '/' || c == '.' || c == ':'; }

// Where the next component of a name ends: before a separator that follows something else.
std::size_t component_end(std::string_view name, std::size_t begin) {
  std::size_t i = begin;
  while (i < name.size() && is_separator(name[i])) ++i;
  while (i < name.size() && !is_separator(name[i])) ++i;
  return i;
}

// What tells a name apart from its neighbours: what follows the last separator.
std::string_view last_component(std::string_view name) {
  std::size_t begin = name.size();
  while (begin > 0 && !is_separator(name[begin - 1])) --begin;
  return name.substr(begin);
}

class NameTree {
 public:
  explicit NameTree(const std::vector<std::string_view>& names) {
    nodes_.emplace_back();
    index_by_prefix_.reserve(2 * names.size());
    for (const std::string_view name : names) insert(name);
  }

  [[nodiscard]] const TreeNode& node(std::size_t index) const { return nodes_[index]; }

  // The node to begin with: the deepest that holds all layers.
  [[nodiscard]] std::size_t root() const { return descend(0); }

  // The nodes one level below; those that cannot be opened stay.
  [[nodiscard]] std::vector<std::size_t> open(const std::vector<std::size_t>& level) const {
    std::vector<std::size_t> next;
    for (const std::size_t index : level) {
      const TreeNode& node = nodes_[index];
      // A layer whose name is the beginning of others' has no node of its own below.
      std::size_t below = 0;
      for (const std::size_t child : node.children) below += nodes_[child].layers;
      if (node.children.empty() || below != node.layers) {
        next.push_back(index);
      } else {
        for (const std::size_t child : node.children) next.push_back(descend(child));
      }
    }
    return next;
  }

  // For each layer the entry of `block_by_node` at or above its node.
  [[nodiscard]] std::vector<std::size_t> blocks_of_layers(
      const std::unordered_map<std::size_t, std::size_t>& block_by_node) const {
    std::vector<std::size_t> blocks;
    blocks.reserve(leaves_.size());
    for (std::size_t index : leaves_) {
      auto found = block_by_node.find(index);
      while (found == block_by_node.end()) {
        index = nodes_[index].parent;
        found = block_by_node.find(index);
      }
      blocks.push_back(found->second);
    }
    return blocks;
  }

 private:
  // Skips nodes whose only child holds all that they hold.
  [[nodiscard]] std::size_t descend(std::size_t index) const {
    while (nodes_[index].children.size() == 1 &&
           nodes_[nodes_[index].children.front()].layers == nodes_[index].layers) {
      index = nodes_[index].children.front();
    }
    return index;
  }

  void insert(std::string_view name) {
    std::size_t at = 0;
    ++nodes_[0].layers;
    std::size_t end = 0;
    for (int depth = 0; end < name.size() || depth == 0; ++depth) {
      end = depth < kMaxDepth ? component_end(name, end) : name.size();
      const auto [entry, is_new] = index_by_prefix_.try_emplace(name.substr(0, end), nodes_.size());
      if (is_new) {
        nodes_[at].children.push_back(nodes_.size());
        nodes_.push_back({name.substr(0, end), at, 0, {}});
      }
      at = entry->second;
      ++nodes_[at].layers;
    }
    leaves_.push_back(at);
  }

  std::vector<TreeNode> nodes_;
  std::unordered_map<std::string_view, std::size_t> index_by_prefix_;
  std::vector<std::size_t> leaves_;  // node of each layer
};

// Blocks by the nodes that they join.
class Blocks {
 public:
  explicit Blocks(const NameTree& tree) : tree_(tree) {}

  // Joins neighbouring nodes to at most `limit` blocks: "encoder.layer.0 .. 3".
  void add_runs(const std::vector<std::size_t>& level, std::size_t limit) {
    const std::size_t length = (level.size() + limit - 1) / limit;
    for (std::size_t first = 0; first < level.size(); first += length) {
      const std::size_t last = std::min(first + length, level.size()) - 1;
      std::string name(tree_.node(level[first]).prefix);
      if (last > first) name += " .. " + std::string(last_component(tree_.node(level[last]).prefix));
      for (std::size_t i = first; i <= last; ++i) block_by_node_.emplace(level[i], blocks_.size());
      blocks_.push_back({std::move(name), {}});
    }
  }

  [[nodiscard]] std::vector<Block> take() {
    const std::vector<std::size_t> block_of = tree_.blocks_of_layers(block_by_node_);
    for (std::size_t layer = 0; layer < block_of.size(); ++layer) {
      blocks_[block_of[layer]].members.push_back(layer);
    }
    std::sort(blocks_.begin(), blocks_.end(),
              [](const Block& a, const Block& b) { return a.members.front() < b.members.front(); });
    return std::move(blocks_);
  }

 private:
  const NameTree& tree_;
  std::vector<Block> blocks_;
  std::unordered_map<std::size_t, std::size_t> block_by_node_;
};

}  // namespace

std::vector<Block> group_into_blocks(const std::vector<std::string_view>& names, std::size_t limit) {
  if (names.empty() || limit == 0) return {};
  const NameTree tree(names);
  std::vector<std::size_t> shown{tree.root()};
  for (std::vector<std::size_t> next = tree.open(shown); next.size() > shown.size() && next.size() <= limit;
       next = tree.open(shown)) {
    shown = std::move(next);
  }
  // A level that is too long to open and holds nearly everything would say nothing: its nodes are joined.
  const auto largest = std::max_element(shown.begin(), shown.end(), [&](std::size_t a, std::size_t b) {
    return tree.node(a).layers < tree.node(b).layers;
  });
  const bool is_joined = 2 * tree.node(*largest).layers > names.size() && 2 * shown.size() < limit;
  Blocks blocks(tree);
  for (auto index = shown.begin(); index != shown.end(); ++index) {
    if (is_joined && index == largest) {
      blocks.add_runs(tree.open({*index}), limit - shown.size() + 1);
    } else {
      blocks.add_runs({*index}, 1);
    }
  }
  return blocks.take();
}

}  // namespace layersim
