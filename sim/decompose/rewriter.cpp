#include "sim/decompose/rewriter.h"

#include <algorithm>

namespace layersim {

Rewriter::Rewriter(Graph& graph, Warnings& warnings)
    : graph_(graph),
      warnings_(warnings),
      removed_(graph.nodes.size(), false),
      producers_(graph.values.size(), kNoNode),
      consumers_(graph.values.size()),
      graph_output_(graph.values.size(), false) {
  for (NodeIndex i = 0; i < node_count(); ++i) link(i);
  for (const ValueId value : graph.outputs) graph_output_[static_cast<std::size_t>(value)] = true;
}

void Rewriter::link(NodeIndex index) {
  for (const ValueId value : node(index).inputs) {
    if (value == kNoValue) continue;
    std::vector<NodeIndex>& readers = consumers_[static_cast<std::size_t>(value)];
    if (readers.empty() || readers.back() != index) readers.push_back(index);
  }
  for (const ValueId value : node(index).outputs) {
    if (value != kNoValue) producers_[static_cast<std::size_t>(value)] = index;
  }
}

void Rewriter::unlink_outputs(NodeIndex index) {
  for (const ValueId value : node(index).outputs) {
    if (value != kNoValue && producer(value) == index) producers_[static_cast<std::size_t>(value)] = kNoNode;
  }
}

bool Rewriter::reads(NodeIndex index, ValueId value) const {
  const auto& inputs = node(index).inputs;
  return !removed(index) && std::find(inputs.begin(), inputs.end(), value) != inputs.end();
}

bool Rewriter::is_op(NodeIndex index, std::string_view op) const {
  return index != kNoNode && !removed(index) && node(index).domain.empty() && node(index).op == op;
}

NodeIndex Rewriter::producer(ValueId value) const {
  return value == kNoValue ? kNoNode : producers_[static_cast<std::size_t>(value)];
}

std::vector<NodeIndex> Rewriter::consumers(ValueId value) const {
  std::vector<NodeIndex> readers;
  if (value == kNoValue) return readers;
  auto& entries = consumers_[static_cast<std::size_t>(value)];
  std::size_t stale = 0;
  for (const NodeIndex index : entries) {
    if (!reads(index, value)) {
      ++stale;
    } else if (std::find(readers.begin(), readers.end(), index) == readers.end()) {
      readers.push_back(index);
      if (readers.size() == kManyConsumers) break;
    }
  }
  if (stale > entries.size() / 2)
    std::erase_if(entries, [&](NodeIndex index) { return !reads(index, value); });
  return readers;
}

NodeIndex Rewriter::only_consumer(ValueId value) const {
  if (is_graph_output(value)) return kNoNode;
  const std::vector<NodeIndex> readers = consumers(value);
  return readers.size() == 1 ? readers.front() : kNoNode;
}

bool Rewriter::is_graph_output(ValueId value) const {
  return value != kNoValue && graph_output_[static_cast<std::size_t>(value)];
}

bool Rewriter::is_stored(ValueId value) const {
  if (value == kNoValue) return false;
  const Origin origin = graph_.value(value).origin;
  return origin == Origin::weight || origin == Origin::constant;
}

std::optional<double> Rewriter::stored_number(ValueId value) const {
  if (!is_stored(value)) return std::nullopt;
  const auto& constant = graph_.value(value).tensor.constant;
  if (constant == nullptr) return std::nullopt;
  if (constant->reals.size() == 1) return constant->reals.front();
  if (constant->ints.size() == 1 && constant->ints.front() != kUnknownInt) {
    return static_cast<double>(constant->ints.front());
  }
  return std::nullopt;
}

std::optional<std::int64_t> Rewriter::elements(ValueId value) const {
  if (value == kNoValue) return std::nullopt;
  const auto& shape = graph_.value(value).tensor.shape;
  if (!shape || !is_known(*shape)) return std::nullopt;
  return element_count(*shape);
}

ValueId Rewriter::add_value(Value value) {
  producers_.push_back(kNoNode);
  consumers_.emplace_back();
  graph_output_.push_back(false);
  return graph_.add_value(std::move(value));
}

void Rewriter::remove(NodeIndex index) {
  if (removed(index)) return;
  unlink_outputs(index);
  removed_[static_cast<std::size_t>(index)] = true;
}

void Rewriter::set_input(NodeIndex index, std::size_t position, ValueId value) {
  auto& inputs = graph_.nodes[static_cast<std::size_t>(index)].inputs;
  if (inputs.size() <= position) inputs.resize(position + 1, kNoValue);
  inputs[position] = value;
  if (value != kNoValue) consumers_[static_cast<std::size_t>(value)].push_back(index);
}

void Rewriter::set_output(NodeIndex index, std::size_t position, ValueId value) {
  unlink_outputs(index);
  graph_.nodes[static_cast<std::size_t>(index)].outputs.at(position) = value;
  for (const ValueId output : node(index).outputs) {
    if (output != kNoValue) producers_[static_cast<std::size_t>(output)] = index;
  }
}

void Rewriter::redirect(ValueId from, ValueId to) {
  const std::vector<NodeIndex> readers = std::move(consumers_[static_cast<std::size_t>(from)]);
  consumers_[static_cast<std::size_t>(from)].clear();
  for (const NodeIndex index : readers) {
    if (!reads(index, from)) continue;
    auto& inputs = graph_.nodes[static_cast<std::size_t>(index)].inputs;
    std::replace(inputs.begin(), inputs.end(), from, to);
    consumers_[static_cast<std::size_t>(to)].push_back(index);
  }
}

void Rewriter::replace(NodeIndex index, Node node) {
  unlink_outputs(index);
  graph_.nodes[static_cast<std::size_t>(index)] = std::move(node);
  link(index);
}

void Rewriter::set_attribute(NodeIndex index, Attribute attribute) {
  auto& attributes = graph_.nodes[static_cast<std::size_t>(index)].attributes;
  std::erase_if(attributes, [&](const Attribute& other) { return other.name == attribute.name; });
  attributes.push_back(std::move(attribute));
}

void Rewriter::insert_after(NodeIndex index, Node node) { inserted_.emplace_back(index, std::move(node)); }

void Rewriter::mark_stored(ValueId value, Origin origin, std::vector<ValueId> sources) {
  graph_.value(value).origin = origin;
  sources_[value] = std::move(sources);
}

void Rewriter::finish() {
  if (inserted_.empty()) {
    std::size_t kept = 0;
    for (NodeIndex i = 0; i < node_count(); ++i) {
      if (removed(i)) continue;
      Node& node = graph_.nodes[static_cast<std::size_t>(i)];
      if (kept != static_cast<std::size_t>(i)) graph_.nodes[kept] = std::move(node);
      ++kept;
    }
    graph_.nodes.resize(kept);
    return;
  }
  std::stable_sort(inserted_.begin(), inserted_.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Node> nodes;
  nodes.reserve(graph_.nodes.size() + inserted_.size());
  auto next = inserted_.begin();
  for (NodeIndex i = 0; i < node_count(); ++i) {
    if (!removed(i)) nodes.push_back(std::move(graph_.nodes[static_cast<std::size_t>(i)]));
    for (; next != inserted_.end() && next->first == i; ++next) nodes.push_back(std::move(next->second));
  }
  graph_.nodes = std::move(nodes);
  inserted_.clear();
}

void Rewriter::compact() {
  finish();
  removed_.assign(graph_.nodes.size(), false);
  producers_.assign(graph_.values.size(), kNoNode);
  consumers_.assign(graph_.values.size(), {});
  graph_output_.resize(graph_.values.size(), false);
  for (NodeIndex i = 0; i < node_count(); ++i) link(i);
}

}  // namespace layersim
