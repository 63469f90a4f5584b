#include <algorithm>

#include "sim/core/error.h"
#include "sim/import/onnx_converter.h"

namespace layersim {
namespace {

constexpr int kMaxDepth = 100;  // of sub-graphs and functions in each other

const onnx::GraphProto& graph_attribute(const onnx::NodeProto& proto, std::string_view name,
                                        const CallAttributes* call) {
  const onnx::AttributeProto* attribute = find_attribute(proto, name, call);
  if (attribute == nullptr || !attribute->has_g())
    throw bad_input("has no sub-graph '" + std::string(name) + "'");
  return attribute->g();
}

std::vector<std::int64_t> ints_or_zeros(const onnx::NodeProto& proto, std::string_view name,
                                        const CallAttributes* call, std::size_t count) {
  const onnx::AttributeProto* attribute = find_attribute(proto, name, call);
  if (attribute == nullptr || attribute->ints_size() == 0) return std::vector<std::int64_t>(count, 0);
  if (static_cast<std::size_t>(attribute->ints_size()) != count) {
    throw bad_input("attribute '" + std::string(name) + "' has " + std::to_string(attribute->ints_size()) +
                    " elements, not " + std::to_string(count));
  }
  return {attribute->ints().begin(), attribute->ints().end()};
}

void check_count(const char* what, int is, std::size_t should_be) {
  if (static_cast<std::size_t>(is) == should_be) return;
  throw bad_input("its body has " + std::to_string(is) + ' ' + what + ", not " + std::to_string(should_be));
}

void set_attribute(Node& node, const char* name, AttributeValue value) {
  node.attributes.push_back({name, std::move(value)});
}

}  // namespace

bool OnnxConverter::convert_control_flow(const Call& call, const NameScope& names) {
  if (!call.domain.empty()) return false;
  const std::string& op = call.proto.op_type();
  if (op == "If") {
    convert_if(call, names);
  } else if (op == "Loop") {
    convert_loop(call, names);
  } else if (op == "Scan" && names.opsets->standard >= 9) {  // before, Scan ran over a batch axis too
    convert_scan(call, names);
  } else if (op == "SequenceMap") {
    convert_sequence_map(call, names);
  } else {
    return false;
  }
  return true;
}

OnnxConverter::NameScope OnnxConverter::inside(const NameScope& outer, int scope) {
  if (outer.depth >= kMaxDepth) {
    throw bad_input("sub-graphs and functions are nested more than " + std::to_string(kMaxDepth) + " deep");
  }
  NameScope names;
  names.outer = &outer;
  names.scope = scope;
  names.opsets = outer.opsets;
  names.call = outer.call;
  names.prefix = outer.prefix;
  names.depth = outer.depth + 1;
  return names;
}

int OnnxConverter::add_scope(Scope::Kind kind, const Call& call, const NameScope& names) {
  Scope scope;
  scope.kind = kind;
  scope.parent = names.scope;
  scope.name = names.prefix + call.proto.name();
  graph_.scopes.push_back(std::move(scope));
  return static_cast<int>(graph_.scopes.size()) - 1;
}

std::vector<ValueId> OnnxConverter::declare_body_inputs(const onnx::GraphProto& body, NameScope& names) {
  std::vector<ValueId> ids;
  for (const auto& input : body.input()) {
    Value& value = declare(names, input.name());
    ids.push_back(last_value());
    with_context("input '" + input.name() + "'", [&] { read_type(input.type(), value); });
    if (input.type().has_sequence_type()) sequences_.insert(ids.back());
  }
  return ids;
}

std::vector<ValueId> OnnxConverter::convert_subgraph(const onnx::GraphProto& graph, NameScope& names) {
  read_stored_tensors(graph.initializer(), graph, names);
  convert_body(graph.node(), graph.value_info(), names);
  std::vector<ValueId> outputs;
  for (const auto& output : graph.output()) {
    const ValueId* found = find(names, output.name());
    if (found == nullptr) throw bad_input("nothing computes its body's output '" + output.name() + "'");
    outputs.push_back(*found);
    read_value_info(output, names);
  }
  return outputs;
}

void OnnxConverter::convert_if(const Call& call, const NameScope& names) {
  std::vector<ValueId> inputs{call.input(0)};
  int group = -1;
  int index = 0;
  for (const char* branch : {"then_branch", "else_branch"}) {
    const onnx::GraphProto& graph = graph_attribute(call.proto, branch, names.call);
    check_count("outputs", graph.output_size(), call.outputs.size());
    const int scope = add_scope(Scope::Kind::branch, call, names);
    if (group < 0) group = scope;
    graph_.scopes.back().branch_group = group;
    graph_.scopes.back().branch_index = index++;
    NameScope inner = inside(names, scope);
    declare_body_inputs(graph, inner);
    const std::vector<ValueId> outputs = convert_subgraph(graph, inner);
    inputs.insert(inputs.end(), outputs.begin(), outputs.end());
  }
  Node& join = append(call, "IfJoin", kControlDomain, names);
  join.inputs = std::move(inputs);
  join.outputs = call.outputs;
  set_attribute(join, "branch_group", std::int64_t{group});
}

void OnnxConverter::convert_loop(const Call& call, const NameScope& names) {
  const onnx::GraphProto& body = graph_attribute(call.proto, "body", names.call);
  const std::size_t carried = std::max<std::size_t>(call.inputs.size(), 2) - 2;
  check_count("inputs", body.input_size(), carried + 2);
  if (static_cast<std::size_t>(body.output_size()) < carried + 1)
    check_count("outputs", body.output_size(), carried + 1);
  const std::size_t stacked = static_cast<std::size_t>(body.output_size()) - carried - 1;

  const int scope = add_scope(Scope::Kind::loop, call, names);
  NameScope inner = inside(names, scope);
  Node& enter = append(call, "LoopEnter", kControlDomain, names);
  enter.inputs = call.inputs;
  enter.inputs.resize(carried + 2, kNoValue);
  enter.outputs = declare_body_inputs(body, inner);
  set_attribute(enter, "scope", std::int64_t{scope});

  std::vector<ValueId> inside_outputs = convert_subgraph(body, inner);
  Node& exit = append(call, "LoopExit", kControlDomain, names);
  exit.inputs = std::move(inside_outputs);
  exit.outputs = call.outputs;
  if (exit.outputs.size() > carried + stacked) throw bad_input("has more outputs than its body");
  exit.outputs.resize(carried + stacked, kNoValue);
  set_attribute(exit, "scope", std::int64_t{scope});
  set_attribute(exit, "carried", static_cast<std::int64_t>(carried));
}

void OnnxConverter::convert_scan(const Call& call, const NameScope& names) {
  const onnx::GraphProto& body = graph_attribute(call.proto, "body", names.call);
  const onnx::AttributeProto* count = find_attribute(call.proto, "num_scan_inputs", names.call);
  const std::size_t input_count = call.inputs.size();
  if (count == nullptr || count->i() < 0 || static_cast<std::uint64_t>(count->i()) > input_count) {
    throw bad_input("attribute 'num_scan_inputs' does not fit its inputs");
  }
  const auto sequences = static_cast<std::size_t>(count->i());
  const std::size_t states = input_count - sequences;
  check_count("inputs", body.input_size(), input_count);
  if (static_cast<std::size_t>(body.output_size()) < states)
    check_count("outputs", body.output_size(), states);
  const std::size_t stacked = static_cast<std::size_t>(body.output_size()) - states;

  const int scope = add_scope(Scope::Kind::loop, call, names);
  NameScope inner = inside(names, scope);
  const auto describe_scan = [&](Node& node, const std::string& side, std::size_t scanned) {
    set_attribute(node, "scope", std::int64_t{scope});
    set_attribute(node, "states", static_cast<std::int64_t>(states));
    set_attribute(node, "axes", ints_or_zeros(call.proto, "scan_" + side + "_axes", names.call, scanned));
    set_attribute(node, "directions",
                  ints_or_zeros(call.proto, "scan_" + side + "_directions", names.call, scanned));
  };
  Node& enter = append(call, "ScanEnter", kControlDomain, names);
  enter.inputs = call.inputs;
  enter.outputs = declare_body_inputs(body, inner);
  describe_scan(enter, "input", sequences);

  std::vector<ValueId> inside_outputs = convert_subgraph(body, inner);
  Node& exit = append(call, "ScanExit", kControlDomain, names);
  exit.inputs = std::move(inside_outputs);
  exit.outputs = call.outputs;
  if (exit.outputs.size() > states + stacked) throw bad_input("has more outputs than its body");
  exit.outputs.resize(states + stacked, kNoValue);
  describe_scan(exit, "output", stacked);
}

// By its definition in the standard: a Loop over the elements of the first sequence that appends to the
// output sequences.
void OnnxConverter::convert_sequence_map(const Call& call, const NameScope& names) {
  const onnx::GraphProto& body = graph_attribute(call.proto, "body", names.call);
  check_count("inputs", body.input_size(), call.inputs.size());
  check_count("outputs", body.output_size(), call.outputs.size());
  const std::string& name = call.proto.name();
  const auto add_node = [&](std::string_view op, std::vector<ValueId> inputs, ValueId output,
                            const NameScope& where) {
    Node& node = append(call, op, "", where);
    node.inputs = std::move(inputs);
    node.outputs = {output};
    return output;
  };

  const ValueId length =
      add_node("SequenceLength", {call.input(0)}, add_value(names, name + "/length"), names);
  const int scope = add_scope(Scope::Kind::loop, call, names);
  std::vector<ValueId> outside{length, kNoValue};
  std::vector<ValueId> carried{add_value(names, name + "/index"), add_value(names, name + "/condition")};
  for (const auto& output : body.output()) {
    outside.push_back(add_node("SequenceEmpty", {}, add_value(names, output.name() + "/empty"), names));
    set_attribute(graph_.nodes.back(), "dtype", std::int64_t{output.type().tensor_type().elem_type()});
    carried.push_back(add_value(names, output.name() + "/before"));
  }
  Node& enter = append(call, "LoopEnter", kControlDomain, names);
  enter.inputs = outside;
  enter.outputs = carried;
  set_attribute(enter, "scope", std::int64_t{scope});

  NameScope inner = inside(names, scope);
  const std::vector<ValueId> elements = declare_body_inputs(body, inner);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const bool is_sequence = i == 0 || sequences_.contains(call.input(i));
    if (is_sequence) {
      add_node("SequenceAt", {call.input(i), carried[0]}, elements[i], inner);
    } else {
      add_node("Identity", {call.input(i)}, elements[i], inner);
    }
  }
  const std::vector<ValueId> results = convert_subgraph(body, inner);
  std::vector<ValueId> inside_outputs{carried[1]};
  for (std::size_t i = 0; i < results.size(); ++i) {
    const ValueId appended = add_value(names, body.output(static_cast<int>(i)).name() + "/after");
    inside_outputs.push_back(add_node("SequenceInsert", {carried[i + 2], results[i]}, appended, inner));
  }
  Node& exit = append(call, "LoopExit", kControlDomain, names);
  exit.inputs = std::move(inside_outputs);
  exit.outputs = call.outputs;
  set_attribute(exit, "scope", std::int64_t{scope});
  set_attribute(exit, "carried", static_cast<std::int64_t>(results.size()));
  for (const ValueId output : call.outputs) sequences_.insert(output);
}

}  // namespace layersim
