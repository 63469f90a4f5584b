#include "sim/report/blocks.h"

#include <algorithm>
#include <unordered_map>

namespace layersim {
namespace {

struct TreeNode {
  std::string_view prefix;            // of the names of all layers below; a whole name at a leaf
  std::vector<std::size_t> children;  // in the order of their first layers
  std::vector<std::size_t> members;   // layers below
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

class NameTree {
 public:
  explicit NameTree(const std::vector<std::string_view>& names) {
    nodes_.push_back({});
    for (std::size_t i = 0; i < names.size(); ++i) insert(names[i], i);
  }

  [[nodiscard]] const TreeNode& node(std::size_t index) const { return nodes_[index]; }

  // Skips nodes whose only child holds all that they hold.
  [[nodiscard]] std::size_t descend(std::size_t index) const {
    while (nodes_[index].children.size() == 1 &&
           nodes_[nodes_[index].children.front()].members.size() == nodes_[index].members.size()) {
      index = nodes_[index].children.front();
    }
    return index;
  }

  // The nodes one level below; those that cannot be opened stay.
  [[nodiscard]] std::vector<std::size_t> open(const std::vector<std::size_t>& level) const {
    std::vector<std::size_t> next;
    for (const std::size_t index : level) {
      const TreeNode& node = nodes_[index];
      // A layer whose name is the beginning of others' has no node of its own below.
      std::size_t below = 0;
      for (const std::size_t child : node.children) below += nodes_[child].members.size();
      if (node.children.empty() || below != node.members.size()) {
        next.push_back(index);
      } else {
        for (const std::size_t child : node.children) next.push_back(descend(child));
      }
    }
    return next;
  }

 private:
  void insert(std::string_view name, std::size_t layer) {
    std::size_t at = 0;
    nodes_[0].members.push_back(layer);
    std::size_t end = 0;
    for (int depth = 0; end < name.size() || depth == 0; ++depth) {
      end = depth < kMaxDepth ? component_end(name, end) : name.size();
      const std::string_view prefix = name.substr(0, end);
      const auto [entry, is_new] = index_by_prefix_.try_emplace(prefix, nodes_.size());
      if (is_new) {
        nodes_[at].children.push_back(nodes_.size());
        nodes_.push_back({prefix, {}, {}});
      }
      at = entry->second;
      nodes_[at].members.push_back(layer);
    }
  }

  std::vector<TreeNode> nodes_;
  std::unordered_map<std::string_view, std::size_t> index_by_prefix_;
};

// What tells `name` apart from its neighbours: what follows the last separator.
std::string_view last_component(std::string_view name) {
  std::size_t begin = name.size();
  while (begin > 0 && !is_separator(name[begin - 1])) --begin;
  return name.substr(begin);
}

// Joins neighbouring nodes to at most `limit` blocks: "encoder.layer.0 .. 3".
void add_runs(const std::vector<std::string_view>& names, const NameTree& tree,
              const std::vector<std::size_t>& level, std::size_t limit, std::vector<Block>& blocks) {
  const auto name_of = [&](std::size_t index) {
    const TreeNode& node = tree.node(index);
    return node.members.size() == 1 ? names[node.members.front()] : node.prefix;
  };
  const std::size_t length = (level.size() + limit - 1) / limit;
  for (std::size_t first = 0; first < level.size(); first += length) {
    const std::size_t end = std::min(first + length, level.size());
    Block block;
    for (std::size_t i = first; i < end; ++i) {
      const auto& members = tree.node(level[i]).members;
      block.members.insert(block.members.end(), members.begin(), members.end());
    }
    std::sort(block.members.begin(), block.members.end());
    block.name = std::string(name_of(level[first]));
    if (end - first > 1) block.name += " .. " + std::string(last_component(name_of(level[end - 1])));
    blocks.push_back(std::move(block));
  }
}

}  // namespace

std::vector<Block> group_into_blocks(const std::vector<std::string_view>& names, std::size_t limit) {
  if (names.empty() || limit == 0) return {};
  const NameTree tree(names);
  std::vector<std::size_t> shown{tree.descend(0)};
  for (std::vector<std::size_t> next = tree.open(shown); next.size() > shown.size() && next.size() <= limit;
       next = tree.open(shown)) {
    shown = std::move(next);
  }
  // A level that is too long to open and holds nearly everything would say nothing: its nodes are joined.
  const auto largest = std::max_element(shown.begin(), shown.end(), [&](std::size_t a, std::size_t b) {
    return tree.node(a).members.size() < tree.node(b).members.size();
  });
  const std::size_t largest_members = tree.node(*largest).members.size();
  const bool is_joined = 2 * largest_members > names.size() && 2 * shown.size() < limit;
  std::vector<Block> blocks;
  for (auto index = shown.begin(); index != shown.end(); ++index) {
    if (is_joined && index == largest) {
      add_runs(names, tree, tree.open({*index}), limit - shown.size() + 1, blocks);
    } else {
      add_runs(names, tree, {*index}, 1, blocks);
    }
  }
  std::sort(blocks.begin(), blocks.end(),
            [](const Block& a, const Block& b) { return a.members.front() < b.members.front(); });
  return blocks;
}

}  // namespace layersim
