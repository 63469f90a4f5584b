#include "sim/import/onnx_converter.h"

#include <algorithm>
#include <limits>

#include "sim/core/error.h"
#include "sim/graph/onnx_dtype.h"
#include "sim/import/onnx_tensor.h"
#include "sim/import/stored_origin.h"

namespace layersim {
namespace {

DeclaredShape read_declared(const onnx::TensorShapeProto& proto) {
  DeclaredShape shape;
  shape.reserve(static_cast<std::size_t>(proto.dim_size()));
  for (const auto& dim : proto.dim()) {
    DeclaredDim& declared = shape.emplace_back();
    if (dim.has_dim_param()) declared.symbol = dim.dim_param();
    if (!dim.has_dim_value() || dim.dim_value() == kUnknownDim)
      continue;  // some exporters write -1 for "any"
    if (dim.dim_value() < 0 || dim.dim_value() > kMaxElements) {
      throw bad_input("size " + std::to_string(dim.dim_value()) + " in its shape");
    }
    declared.size = dim.dim_value();
  }
  Shape known;
  for (const auto& dim : shape) known.push_back(std::max<std::int64_t>(dim.size, 1));
  static_cast<void>(element_count(known));
  return shape;
}

}  // namespace

std::string describe(const onnx::NodeProto& proto) {
  std::string label = proto.name();
  for (int i = 0; label.empty() && i < proto.output_size(); ++i) label = proto.output(i);
  const std::string domain(standard_name(proto.domain()));
  return "node '" + label + "' (" + (domain.empty() ? "" : domain + "::") + proto.op_type() + ")";
}

int Opsets::of(std::string_view domain) const {
  if (domain.empty()) return standard;
  for (const auto& [name, version] : others) {
    if (name == domain) return version;
  }
  return 1;
}

Opsets read_opset_imports(const google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto>& imports) {
  constexpr std::int64_t kMax = std::numeric_limits<int>::max();
  Opsets opsets;
  for (const auto& import : imports) {
    const auto version = static_cast<int>(std::clamp<std::int64_t>(import.version(), 1, kMax));
    if (standard_name(import.domain()).empty()) {
      opsets.standard = std::max(opsets.standard, version);
    } else {
      opsets.others.emplace_back(import.domain(), version);
    }
  }
  return opsets;
}

void OnnxConverter::warn(std::string text) {
  constexpr std::size_t kMaxSaid = 20;  // a file can be wrong in as many places as it has nodes
  if (said_.insert(text).second && said_.size() <= kMaxSaid) warnings_.add(std::move(text));
  if (said_.size() == kMaxSaid + 1) warnings_.add("more such warnings are left out");
}

void OnnxConverter::read_opsets() {
  opsets_ = read_opset_imports(model_.opset_import());
  if (model_.ir_version() > kNewestIrVersion) {
    warn("IR version " + std::to_string(model_.ir_version()) + " is newer than the newest known, " +
         std::to_string(kNewestIrVersion));
  }
  if (opsets_.standard > kNewestOpset) {
    warn("opset " + std::to_string(opsets_.standard) + " is newer than the newest known, " +
         std::to_string(kNewestOpset) + ": read as that");
  }
  if (opsets_.standard == 0) {
    // Files before IR version 3 had no opsets; later ones must say theirs.
    opsets_.standard = model_.ir_version() < 3 ? 1 : kNewestOpset;
    if (model_.ir_version() >= 3 && !skeleton_.nodes.empty()) {
      warn("the file does not say its opset: " + std::to_string(kNewestOpset) + " is assumed");
    }
  }
}

Graph OnnxConverter::convert() {
  if (!model_.has_graph()) throw bad_input("holds no graph");
  const onnx::GraphProto& proto = model_.graph();
  read_opsets();
  read_functions();
  graph_.name = proto.name();
  const NodeList nodes(skeleton_.bytes, skeleton_.nodes);
  const TensorList initializers(skeleton_.bytes, skeleton_.initializers);
  const ValueInfoList value_info(skeleton_.bytes, skeleton_.value_info);
  const auto node_count = static_cast<std::size_t>(nodes.size());
  const auto stored_count = static_cast<std::size_t>(initializers.size() + proto.input_size());
  const std::size_t value_count = stored_count + node_count * 5 / 4;  // most nodes have one output
  graph_.values.reserve(value_count);
  graph_.nodes.reserve(node_count);

  NameScope names;
  names.opsets = &opsets_;
  names.names.reserve(value_count);
  read_stored_tensors(initializers, proto, names);
  read_inputs(names);
  convert_body(nodes, value_info, names);
  for (const auto& output : proto.output()) {
    const ValueId* found = find(names, output.name());
    if (found == nullptr) throw bad_input("nothing computes the network's output '" + output.name() + "'");
    graph_.outputs.push_back(*found);
    read_value_info(output, names);
  }
  return std::move(graph_);
}

Value& OnnxConverter::declare(NameScope& names, const std::string& name) {
  if (!names.names.insert(name, static_cast<ValueId>(graph_.values.size()))) {
    throw bad_input("value '" + name + "' is defined twice");
  }
  Value& value = graph_.values.emplace_back();
  value.name = names.prefix.empty() ? name : names.prefix + name;
  return value;
}

ValueId OnnxConverter::add_value(const NameScope& names, const std::string& name) {
  Value value;
  value.name = names.prefix + name;
  return graph_.add_value(std::move(value));
}

void OnnxConverter::read_inputs(NameScope& names) {
  for (const auto& input : model_.graph().input()) {
    const ValueId* stored = names.names.find(input.name());
    // A weight that may be replaced at run time is no input.
    if (stored != nullptr && graph_.value(*stored).origin != Origin::input) continue;
    Value& value = declare(names, input.name());
    value.origin = Origin::input;
    with_context("input '" + input.name() + "'", [&] { read_type(input.type(), value); });
    if (value.declared) {
      for (DeclaredDim& dim : *value.declared) {
        if (dim.size != 0) continue;
        warn("input '" + input.name() + "': an axis of size 0 is taken as one that is not fixed");
        dim.size = kUnknownDim;
      }
    }
    graph_.inputs.push_back(last_value());
    if (input.type().has_sequence_type()) sequences_.insert(last_value());
    if (input.type().has_map_type() || input.type().has_opaque_type()) {
      warn("input '" + input.name() + "' is no tensor: its size is not known");
    }
  }
}

void OnnxConverter::read_stored_tensors(const TensorList& dense, const onnx::GraphProto& graph,
                                        NameScope& names) {
  const auto add = [&](const std::string& name, Tensor tensor) {
    if (tensor.dtype == DType::unknown) warn("tensor '" + name + "' has a data type that is not known");
    Value& value = declare(names, name);
    value.origin = stored_origin(name, tensor);
    value.tensor = std::move(tensor);
  };
  for (int i = 0; i < dense.size(); ++i) {
    const onnx::TensorProto& proto = dense.at(i);
    add(proto.name(), read_tensor(proto, external_));
  }
  for (const auto& proto : graph.sparse_initializer()) add(proto.values().name(), read_tensor(proto));
}

void OnnxConverter::read_type(const onnx::TypeProto& type, Value& value) {
  if (type.has_optional_type()) return read_type(type.optional_type().elem_type(), value);
  const auto read = [&](const auto& tensor) {
    value.tensor.dtype = find_onnx_dtype(tensor.elem_type());
    if (tensor.has_shape()) value.declared = read_declared(tensor.shape());
  };
  if (type.has_tensor_type()) read(type.tensor_type());
  if (type.has_sparse_tensor_type()) read(type.sparse_tensor_type());
}

void OnnxConverter::read_value_info(const onnx::ValueInfoProto& info, const NameScope& names) {
  const ValueId* found = names.names.find(info.name());
  if (found == nullptr || *found == kNoValue) return;
  Value& value = graph_.value(*found);
  if (value.origin != Origin::computed) return;
  with_context("value '" + info.name() + "'", [&] { read_type(info.type(), value); });
  if (info.type().has_sequence_type()) sequences_.insert(*found);
}

}  // namespace layersim
