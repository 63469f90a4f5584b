#include <algorithm>
#include <span>

#include "sim/core/error.h"
#include "sim/import/onnx_converter.h"
#include "sim/import/topological_order.h"

namespace layersim {
namespace {

bool is_constant_node(const onnx::NodeProto& proto) {
  return proto.op_type() == "Constant" && standard_name(proto.domain()).empty();
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
  constexpr std::size_t kMaxNodes = 5'000'000;
  charged_ += nodes;
  if (charged_ > kMaxNodes)
    throw bad_input("the network has more than 5 million nodes once its functions are expanded");
}

const Binding* OnnxConverter::find(const NameScope& names, std::string_view name) {
  for (const NameScope* scope = &names; scope != nullptr; scope = scope->outer) {
    if (const Binding* found = scope->names.find(name)) return found;
  }
  return nullptr;
}

void OnnxConverter::convert_body(const NodeList& nodes, const ValueInfoList& value_info, NameScope& names) {
  charge(static_cast<std::size_t>(nodes.size()));
  BodyValues values;
  declare_outputs(nodes, names, values);
  for (const auto& info : value_info) read_value_info(info, names);
  resolve_inputs(nodes, names, values);

  std::vector<std::int32_t> order;
  const auto runs_too_early = [&](int node) {
    const auto index = static_cast<std::size_t>(node);
    return std::any_of(values.uses.begin() + static_cast<std::ptrdiff_t>(values.first_use[index]),
                       values.uses.begin() + static_cast<std::ptrdiff_t>(values.first_use[index + 1]),
                       [&](const Binding& use) { return use.producer >= node; });
  };
  for (int node = 0; node < nodes.size() && order.empty(); ++node) {
    if (!runs_too_early(node)) continue;
    Dependencies dependencies{values.first_use, {}};
    dependencies.needs.reserve(values.uses.size());
    for (const Binding& use : values.uses) dependencies.needs.push_back(use.producer);
    TopologicalOrder sorted = topological_order(dependencies);
    if (sorted.on_cycle >= 0)
      throw bad_input(describe(nodes.Get(sorted.on_cycle)) + " needs its own output: a cycle");
    order = std::move(sorted.order);
  }

  for (int i = 0; i < nodes.size(); ++i) {
    const int node = order.empty() ? i : order[static_cast<std::size_t>(i)];
    const onnx::NodeProto& proto = nodes.Get(node);
    if (is_constant_node(proto)) continue;
    const auto index = static_cast<std::size_t>(node);
    Call call{proto, standard_name(proto.domain()), {}, {}};
    const auto input_count = static_cast<std::size_t>(proto.input_size());
    call.inputs.reserve(input_count);
    for (std::size_t input = 0; input < input_count; ++input) {
      call.inputs.push_back(values.uses[values.first_use[index] + input].value);
    }
    call.outputs.assign(values.outputs.begin() + static_cast<std::ptrdiff_t>(values.first_output[index]),
                        values.outputs.begin() + static_cast<std::ptrdiff_t>(values.first_output[index + 1]));
    try {
      convert_node(std::move(call), names);
    } catch (Error& error) {
      error.within(describe(proto));
      throw;
    }
  }
}

void OnnxConverter::declare_outputs(const NodeList& nodes, NameScope& names, BodyValues& values) {
  for (int node = 0; node < nodes.size(); ++node) {
    const onnx::NodeProto& proto = nodes.Get(node);
    const bool constant = is_constant_node(proto);
    try {
      for (const std::string& name : proto.output()) {
        ValueId id = kNoValue;
        if (const auto wanted = names.wanted.find(name); wanted != names.wanted.end()) {
          id = wanted->second;
          if (!names.names.insert(wanted->first, {id, constant ? -1 : node}).second) {
            throw bad_input("value '" + name + "' is defined twice");
          }
        } else if (!name.empty()) {
          declare(names, name, constant ? -1 : node);
          id = last_value();
        }
        values.outputs.push_back(id);
        if (constant && id != kNoValue) {
          graph_.value(id).origin = Origin::constant;
          graph_.value(id).tensor = read_constant_node(proto, names.call, external_);
        }
      }
    } catch (Error& error) {
      error.within(describe(proto));
      throw;
    }
    values.first_output.push_back(values.outputs.size());
  }
}

void OnnxConverter::resolve_inputs(const NodeList& nodes, const NameScope& names, BodyValues& values) {
  const auto use = [&](const NameScope& where, std::string_view name) {
    // A producer counts only in the list that the node stands in.
    if (const Binding* own = where.names.find(name)) return *own;
    const Binding* outer = where.outer == nullptr ? nullptr : find(*where.outer, name);
    if (outer == nullptr) throw bad_input("its input '" + std::string(name) + "' is not defined");
    return Binding{outer->value, -1};
  };
  std::vector<std::string_view> captures;
  for (const auto& proto : nodes) {
    try {
      for (const std::string& name : proto.input()) {
        values.uses.push_back(name.empty() ? Binding{} : use(names, name));
      }
      for (const auto& attribute : proto.attribute()) {
        if (!attribute.has_g()) continue;
        captures.clear();
        collect_captures(attribute.g(), captures);
        for (const std::string_view name : captures) values.uses.push_back(use(names, name));
      }
    } catch (Error& error) {
      error.within(describe(proto));
      throw;
    }
    values.first_use.push_back(values.uses.size());
  }
}

void OnnxConverter::convert_node(Call&& call, const NameScope& names) {
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
