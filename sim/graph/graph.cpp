#include "sim/graph/graph.h"

#include <algorithm>

#include "sim/core/error.h"

namespace layersim {
namespace {

template <typename T>
std::optional<T> typed_attribute(const Node& node, std::string_view name, const char* expected) {
  const AttributeValue* value = node.attribute(name);
  if (value == nullptr) return std::nullopt;
  if (const T* typed = std::get_if<T>(value)) return *typed;
  throw bad_input("attribute '" + std::string(name) + "' should be " + expected);
}

}  // namespace

const AttributeValue* Node::attribute(std::string_view attribute_name) const {
  for (const auto& candidate : attributes) {
    if (candidate.name == attribute_name) return &candidate.value;
  }
  return nullptr;
}

std::optional<std::int64_t> Node::int_attribute(std::string_view attribute_name) const {
  return typed_attribute<std::int64_t>(*this, attribute_name, "an integer");
}

std::optional<double> Node::real_attribute(std::string_view attribute_name) const {
  return typed_attribute<double>(*this, attribute_name, "a number");
}

std::optional<std::string> Node::text_attribute(std::string_view attribute_name) const {
  return typed_attribute<std::string>(*this, attribute_name, "a text");
}

std::optional<std::vector<std::int64_t>> Node::ints_attribute(std::string_view attribute_name) const {
  return typed_attribute<std::vector<std::int64_t>>(*this, attribute_name, "a list of integers");
}

ValueId Graph::add_value(Value value) {
  values.push_back(std::move(value));
  return static_cast<ValueId>(values.size() - 1);
}

Node& Graph::add_node(Node node) { return nodes.emplace_back(std::move(node)); }

std::string Graph::describe(const Node& node) const {
  std::string label = node.name;
  for (std::size_t i = 0; label.empty() && i < node.outputs.size(); ++i) {
    if (node.outputs[i] != kNoValue) label = value(node.outputs[i]).name;
  }
  return "node '" + label + "' (" + (node.domain.empty() ? "" : node.domain + "::") + node.op + ")";
}

GraphBuilder::GraphBuilder(std::string name, int opset) : opset_(opset) { graph_.name = std::move(name); }

ValueId GraphBuilder::input(std::string name, DType dtype, DeclaredShape shape) {
  const ValueId id = graph_.add_value(
      {std::move(name), Origin::input, {dtype, std::nullopt, nullptr}, std::move(shape), {}});
  graph_.inputs.push_back(id);
  return id;
}

ValueId GraphBuilder::weight(std::string name, DType dtype, Shape shape) {
  return graph_.add_value({std::move(name), Origin::weight, {dtype, std::move(shape), nullptr}, {}, {}});
}

ValueId GraphBuilder::constant(std::string name, std::vector<std::int64_t> ints, std::optional<Shape> shape) {
  if (!shape) shape = Shape{static_cast<std::int64_t>(ints.size())};
  auto contents = std::make_shared<const Constant>(Constant{std::move(ints), {}});
  return graph_.add_value(
      {std::move(name), Origin::constant, {DType::i64, std::move(shape), std::move(contents)}, {}, {}});
}

ValueId GraphBuilder::constant(std::string name, std::vector<double> reals, std::optional<Shape> shape) {
  if (!shape) shape = Shape{static_cast<std::int64_t>(reals.size())};
  auto contents = std::make_shared<const Constant>(Constant{{}, std::move(reals)});
  return graph_.add_value(
      {std::move(name), Origin::constant, {DType::f32, std::move(shape), std::move(contents)}, {}, {}});
}

ValueId GraphBuilder::node(std::string op, std::string name, std::vector<ValueId> inputs,
                           std::vector<Attribute> attributes, std::size_t output_count, std::string domain) {
  Node node;
  node.domain = std::move(domain);
  node.opset = node.domain.empty() ? opset_ : 1;
  node.inputs = std::move(inputs);
  node.attributes = std::move(attributes);
  for (std::size_t i = 0; i < output_count; ++i) {
    node.outputs.push_back(graph_.add_value(
        {name + (i == 0 ? "_out" : "_out" + std::to_string(i)), Origin::computed, {}, {}, {}}));
  }
  node.op = std::move(op);
  node.name = std::move(name);
  const ValueId first = node.output(0);
  graph_.add_node(std::move(node));
  return first;
}

ValueId GraphBuilder::last_output(std::size_t index) const { return graph_.nodes.back().outputs.at(index); }

void GraphBuilder::output(ValueId value) { graph_.outputs.push_back(value); }

}  // namespace layersim
