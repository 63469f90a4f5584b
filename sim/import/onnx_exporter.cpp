#include <onnx/onnx_pb.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <unordered_set>

#include "sim/core/error.h"
#include "sim/core/regular_file.h"
#include "sim/graph/onnx_dtype.h"
#include "sim/import/importer.h"
#include "sim/import/output_types.h"
#include "sim/import/raw_elements.h"
#include "sim/import/stored_origin.h"

namespace layersim {
namespace {

// First IR version whose files may hold this opset
// (https://github.com/onnx/onnx/blob/main/docs/Versioning.md).
std::int64_t ir_version_for(int opset) {
  if (opset <= 18) return 8;
  if (opset <= 20) return 9;
  return opset <= 22 ? 10 : 11;
}

class Exporter {
 public:
  explicit Exporter(const Graph& graph) : graph_(graph), names_(graph.values.size()) {}

  onnx::ModelProto write() {
    if (graph_.scopes.size() > 1) {
      throw bad_use(
          "a network with control flow cannot be written as ONNX: its sub-graphs have been flattened");
    }
    name_values();
    onnx::GraphProto& proto = *model_.mutable_graph();
    proto.set_name(graph_.name.empty() ? "network" : graph_.name);
    for (const ValueId id : graph_.inputs) write_info(id, *proto.add_input());
    for (std::size_t i = 0; i < graph_.values.size(); ++i) {
      const auto id = static_cast<ValueId>(i);
      const Value& value = graph_.values[i];
      if (value.origin == Origin::constant && stored_origin(names_[i], value.tensor) == Origin::weight) {
        write_constant_node(id, *proto.add_node());
      } else if (value.origin == Origin::weight || value.origin == Origin::constant) {
        write_tensor(value.tensor, name_of(id), *proto.add_initializer());
      } else if (value.origin == Origin::computed && value.declared) {
        write_info(id, *proto.add_value_info());
      }
    }
    for (const Node& node : graph_.nodes) write_node(node, *proto.add_node());
    const std::vector<OutputType> types = find_output_types(graph_);
    for (std::size_t i = 0; i < types.size(); ++i)
      write_info(graph_.outputs[i], types[i], *proto.add_output());
    model_.set_producer_name("layersim");
    write_opsets();
    return std::move(model_);
  }

 private:
  void name_values() {
    std::unordered_set<std::string_view> taken;
    taken.reserve(graph_.values.size());
    for (std::size_t i = 0; i < graph_.values.size(); ++i) {
      names_[i] = graph_.values[i].name;
      // A name that begins with a slash tells a reader that the tensor is not learned.
      if (graph_.values[i].origin == Origin::weight) names_[i].erase(0, names_[i].find_first_not_of('/'));
      while (names_[i].empty() || taken.contains(names_[i])) names_[i] += "_v" + std::to_string(i);
      taken.insert(names_[i]);
    }
  }

  std::string name_of(ValueId id) const {
    return id == kNoValue ? std::string() : names_.at(static_cast<std::size_t>(id));
  }

  void write_info(ValueId id, const OutputType& type, onnx::ValueInfoProto& proto) const {
    proto.set_name(name_of(id));
    auto& tensor = *proto.mutable_type()->mutable_tensor_type();
    tensor.set_elem_type(onnx_number(type.dtype));
    if (!type.shape) return;
    auto& shape = *tensor.mutable_shape();
    for (const DeclaredDim& dim : *type.shape) {
      auto& written = *shape.add_dim();
      if (!dim.symbol.empty()) {
        written.set_dim_param(dim.symbol);
      } else if (dim.size != kUnknownDim) {
        written.set_dim_value(dim.size);
      }
    }
  }
  void write_info(ValueId id, onnx::ValueInfoProto& proto) const {
    write_info(id, {graph_.value(id).tensor.dtype, graph_.value(id).declared}, proto);
  }

  // Contents inline where they are known, else a place in a file that need not exist.
  void write_tensor(const Tensor& tensor, const std::string& name, onnx::TensorProto& proto) {
    if (!tensor.shape || tensor.dtype == DType::unknown) {
      throw bad_use("tensor '" + name + "' has no shape or data type: it cannot be written");
    }
    proto.set_name(name);
    proto.set_data_type(onnx_number(tensor.dtype));
    for (const std::int64_t size : *tensor.shape) proto.add_dims(size);
    const std::int64_t count = element_count(*tensor.shape);
    if (tensor.constant && has_raw_form(tensor.dtype)) {
      proto.set_raw_data(to_raw(*tensor.constant, tensor.dtype));
      return;
    }
    const std::int64_t length = (count * bits(tensor.dtype) + 7) / 8;
    proto.set_data_location(onnx::TensorProto::EXTERNAL);
    const auto add = [&](const char* key, const std::string& value) {
      auto& entry = *proto.add_external_data();
      entry.set_key(key);
      entry.set_value(value);
    };
    add("location", "weights.bin");
    add("offset", std::to_string(external_bytes_));
    add("length", std::to_string(length));
    external_bytes_ += length;
  }

  // Every reader takes what a Constant node holds for not learned.
  void write_constant_node(ValueId id, onnx::NodeProto& proto) {
    proto.set_op_type("Constant");
    proto.add_output(name_of(id));
    auto& attribute = *proto.add_attribute();
    attribute.set_name("value");
    write_attribute(graph_.value(id).tensor, attribute);
  }

  void write_node(const Node& node, onnx::NodeProto& proto) {
    proto.set_name(node.name);
    proto.set_op_type(node.op);
    proto.set_domain(node.domain);
    for (const ValueId id : node.inputs) proto.add_input(name_of(id));
    for (const ValueId id : node.outputs) proto.add_output(name_of(id));
    for (const Attribute& attribute : node.attributes) {
      auto& written = *proto.add_attribute();
      written.set_name(attribute.name);
      std::visit([&](const auto& value) { write_attribute(value, written); }, attribute.value);
    }
    const int opset = std::max(node.opset, 1);
    for (auto& [domain, version] : opsets_) {
      if (domain != node.domain) continue;
      if (version != opset) {
        throw bad_use("nodes of opsets " + std::to_string(version) + " and " + std::to_string(opset) +
                      " cannot be written into one ONNX file");
      }
      return;
    }
    opsets_.emplace_back(node.domain, opset);
  }

  void write_attribute(std::int64_t value, onnx::AttributeProto& proto) const {
    proto.set_type(onnx::AttributeProto::INT);
    proto.set_i(value);
  }
  void write_attribute(double value, onnx::AttributeProto& proto) const {
    proto.set_type(onnx::AttributeProto::FLOAT);
    proto.set_f(static_cast<float>(value));
  }
  void write_attribute(const std::string& value, onnx::AttributeProto& proto) const {
    proto.set_type(onnx::AttributeProto::STRING);
    proto.set_s(value);
  }
  void write_attribute(const std::vector<std::int64_t>& values, onnx::AttributeProto& proto) const {
    proto.set_type(onnx::AttributeProto::INTS);
    for (const std::int64_t value : values) proto.add_ints(value);
  }
  void write_attribute(const std::vector<double>& values, onnx::AttributeProto& proto) const {
    proto.set_type(onnx::AttributeProto::FLOATS);
    for (const double value : values) proto.add_floats(static_cast<float>(value));
  }
  void write_attribute(const std::vector<std::string>& values, onnx::AttributeProto& proto) const {
    proto.set_type(onnx::AttributeProto::STRINGS);
    for (const std::string& value : values) proto.add_strings(value);
  }
  void write_attribute(const Tensor& value, onnx::AttributeProto& proto) {
    proto.set_type(onnx::AttributeProto::TENSOR);
    write_tensor(value, proto.name(), *proto.mutable_t());
  }

  void write_opsets() {
    constexpr int kOpsetOfNothing = 17;  // a network without nodes
    int standard = 0;
    for (const auto& [domain, version] : opsets_) {
      if (domain.empty()) standard = version;
    }
    if (standard == 0) {
      standard = kOpsetOfNothing;
      opsets_.emplace_back("", standard);
    }
    for (const auto& [domain, version] : opsets_) {
      auto& import = *model_.add_opset_import();
      import.set_domain(domain);
      import.set_version(version);
    }
    model_.set_ir_version(ir_version_for(standard));
  }

  const Graph& graph_;
  onnx::ModelProto model_;
  std::vector<std::string> names_;
  std::vector<std::pair<std::string, int>> opsets_;
  std::int64_t external_bytes_ = 0;
};

}  // namespace

void export_onnx(const Graph& graph, const std::filesystem::path& file) {
  with_context(file.string(), [&] {
    check_replaceable(file);
    const onnx::ModelProto model = Exporter(graph).write();
    std::filesystem::path unfinished = file;
    unfinished += ".tmp" + std::to_string(::getpid());
    std::ofstream stream(unfinished, std::ios::binary | std::ios::trunc);
    const bool written = stream && model.SerializeToOstream(&stream) && stream.flush();
    stream.close();
    if (written && ::rename(unfinished.c_str(), file.c_str()) == 0) return;
    const std::string reason = std::strerror(errno);
    ::unlink(unfinished.c_str());
    throw bad_use("cannot be written: " + reason);
  });
}

}  // namespace layersim
