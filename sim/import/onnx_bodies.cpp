#include "sim/core/error.h"
#include "sim/import/onnx_converter.h"
#include "sim/import/topological_order.h"

namespace layersim {
namespace {

bool is_constant_node(const onnx::NodeProto& proto) {
  return proto.op_type() == "Constant" && standard_name(proto.domain()).empty();
}

template <typename Body>
void within_node(const onnx::NodeProto& proto, Body&& body) {
  try {
    body();
  } catch (Error& error) {
    error.within(describe(proto));
    throw;
  }
}

// Names that a sub-graph, or one inside it, takes from around it.
void collect_captures(const onnx::GraphProto& graph, std::vector<std::string_view>& captures) {
  std::unordered_set<std::string_view> own;
  for (const auto& input : graph.input()) own.insert(input.name());
  for (const auto& tensor : graph.initializer()) own.insert(tensor.name());
  for (const auto& tensor : graph.sparse_initializer()) own.insert(tensor.values().name());
  for (const auto& node : graph.node()) own.insert(node.output().begin(), node.output().end());

  std::vector<std::string_view> candidates;
  for (const auto& node : graph.node()) {
    candidates.insert(candidates.end(), node.input().begin(), node.input().end());
    for (const auto& attribute : node.attribute()) {
      if (attribute.has_g()) collect_captures(attribute.g(), candidates);
    }
  }
  for (const auto& output : graph.output()) candidates.emplace_back(output.name());
  for (const std::string_view name : candidates) {
    if (!name.empty() && !own.contains(name)) captures.push_back(name);
  }
}

}  // namespace

void OnnxConverter::charge(std::size_t nodes) {
  constexpr std::size_t kMaxNodes = 500'000;
  charged_ += nodes;
  if (charged_ > kMaxNodes) throw bad_input("calls of functions make more than 500,000 nodes");
}

const ValueId* OnnxConverter::find(const NameScope& names, std::string_view name) {
  for (const NameScope* scope = &names; scope != nullptr; scope = scope->outer) {
    if (const ValueId* found = scope->names.find(name)) return found;
  }
  return nullptr;
}

void OnnxConverter::convert_body(const NodeList& nodes, const ValueInfoList& value_info, NameScope& names) {
  if (names.call != nullptr) charge(static_cast<std::size_t>(nodes.size()));
  std::vector<ValueId> values;
  for (int i = 0; i < nodes.size(); ++i) {
    const onnx::NodeProto& proto = nodes.at(i);
    if (resolve_inputs(proto, names, values)) {
      convert_sorted(nodes, i, names);
      break;
    }
    within_node(proto, [&] { convert_node(proto, values, declare_outputs(proto, names), names); });
  }
  for (int i = 0; i < value_info.size(); ++i) read_value_info(value_info.at(i), names);
}

void OnnxConverter::convert_sorted(const NodeList& nodes, int first, NameScope& names) {
  const int count = nodes.size() - first;
  std::vector<std::vector<ValueId>> outputs;
  std::unordered_map<ValueId, std::int32_t> producers;
  for (int i = 0; i < count; ++i) {
    const onnx::NodeProto& proto = nodes.at(first + i);
    within_node(proto, [&] { outputs.push_back(declare_outputs(proto, names)); });
    if (is_constant_node(proto)) continue;
    for (const ValueId output : outputs.back()) producers.emplace(output, i);
  }
  producers.erase(kNoValue);

  Dependencies dependencies;
  std::vector<ValueId> values;
  for (int i = 0; i < count; ++i) {
    const onnx::NodeProto& proto = nodes.at(first + i);
    if (const auto missing = resolve_inputs(proto, names, values)) {
      throw bad_input(describe(proto) + ": its input '" + *missing + "' is not defined");
    }
    for (const ValueId value : values) {
      const auto producer = producers.find(value);
      if (producer != producers.end()) dependencies.needs.push_back(producer->second);
    }
    dependencies.first.push_back(dependencies.needs.size());
  }
  const TopologicalOrder sorted = topological_order(dependencies);
  if (sorted.on_cycle >= 0) {
    throw bad_input(describe(nodes.at(first + sorted.on_cycle)) + " needs its own output: a cycle");
  }
  for (const std::int32_t node : sorted.order) {
    const onnx::NodeProto& proto = nodes.at(first + node);
    static_cast<void>(resolve_inputs(proto, names, values));
    within_node(proto, [&] {
      convert_node(proto, values, std::move(outputs[static_cast<std::size_t>(node)]), names);
    });
  }
}

std::optional<std::string> OnnxConverter::resolve_inputs(const onnx::NodeProto& proto, const NameScope& names,
                                                         std::vector<ValueId>& values) {
  values.clear();
  for (const std::string& name : proto.input()) {
    const ValueId* found = name.empty() ? &kNoValue : find(names, name);
    if (found == nullptr) return name;
    values.push_back(*found);
  }
  for (const auto& attribute : proto.attribute()) {
    if (!attribute.has_g()) continue;
    std::vector<std::string_view> captures;
    collect_captures(attribute.g(), captures);
    for (const std::string_view name : captures) {
      const ValueId* found = find(names, name);
      if (found == nullptr) return std::string(name);
      values.push_back(*found);
    }
  }
  return std::nullopt;
}

std::vector<ValueId> OnnxConverter::declare_outputs(const onnx::NodeProto& proto, NameScope& names) {
  std::vector<ValueId> outputs;
  outputs.reserve(static_cast<std::size_t>(proto.output_size()));
  for (const std::string& name : proto.output()) {
    ValueId& id = outputs.emplace_back(kNoValue);
    if (const auto wanted = names.wanted.find(name); wanted != names.wanted.end()) {
      id = wanted->second;
      if (!names.names.insert(name, id)) throw bad_input("value '" + name + "' is defined twice");
    } else if (!name.empty()) {
      declare(names, name);
      id = last_value();
    }
    if (id != kNoValue && is_constant_node(proto)) {
      graph_.value(id).origin = Origin::constant;
      graph_.value(id).tensor = read_constant_node(proto, names.call, external_);
    }
  }
  return outputs;
}

void OnnxConverter::convert_node(const onnx::NodeProto& proto, std::vector<ValueId> values,
                                 std::vector<ValueId> outputs, const NameScope& names) {
  if (is_constant_node(proto)) return;
  values.resize(static_cast<std::size_t>(proto.input_size()));
  Call call{proto, standard_name(proto.domain()), std::move(values), std::move(outputs)};
  if (convert_control_flow(call, names)) return;
  if (const OnnxFunction* function = find_function(call)) return inline_function(call, *function, names);
  append_plain(std::move(call), names);
}

Node& OnnxConverter::append(const Call& call, std::string_view op, std::string_view domain,
                            const NameScope& names) {
  Node& node = graph_.nodes.emplace_back();
  node.name = names.prefix.empty() ? call.proto.name() : names.prefix + call.proto.name();
  node.op = op;
  node.domain = domain;
  node.opset = names.opsets->of(domain == kControlDomain ? call.domain : domain);
  node.scope = names.scope;
  return node;
}

void OnnxConverter::append_plain(Call&& call, const NameScope& names) {
  Node& node = append(call, call.proto.op_type(), call.domain, names);
  node.inputs = std::move(call.inputs);
  node.outputs = std::move(call.outputs);
  node.attributes.reserve(static_cast<std::size_t>(call.proto.attribute_size()));
  for (const auto& attribute : call.proto.attribute()) {
    const onnx::AttributeProto* proto = resolve(attribute, names.call);
    if (proto == nullptr) continue;  // an optional attribute that the call of the function does not set
    if (auto value = read_attribute(*proto, external_)) {
      node.attributes.push_back({attribute.name(), *std::move(value)});
    } else if (holds_graph(*proto)) {
      warn("the sub-graph of operator " + std::string(call.domain) + (call.domain.empty() ? "" : "::") +
           call.proto.op_type() + " is not counted");
    } else if (proto->type() != onnx::AttributeProto::TYPE_PROTO) {
      warn("attribute '" + attribute.name() + "' of " + describe(call.proto) +
           " is of a type that is not read");
    }
  }
  if (call.domain.empty() && (node.op.starts_with("Sequence") || node.op == "SplitToSequence") &&
      node.op != "SequenceAt" && node.op != "SequenceLength" && node.output(0) != kNoValue) {
    sequences_.insert(node.output(0));
  }
}

}  // namespace layersim
