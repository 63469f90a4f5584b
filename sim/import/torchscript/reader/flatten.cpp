#include "sim/import/torchscript/reader/flatten.h"

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <unordered_map>

#include "sim/core/error.h"
#include "sim/import/torchscript/reader/literals.h"

namespace layersim {
namespace {

namespace jit = torch::jit;

constexpr int kMaxDepth = 200;  // of calls and blocks in each other
constexpr std::size_t kMaxNodes =
    2000000;  // of a program: functions that call each other twice can make any number

// A value of the graph that is written out: a module or another object of the archive, or a value of the
// program.
struct Known {
  c10::IValue object;    // none unless an object
  std::string path;      // of the object: "features.0"
  TorchValueId id = -1;  // of all others
};
using Names = std::unordered_map<const jit::Value*, Known>;

TorchArgument argument(const std::string& name, const c10::TypePtr& type) {
  TorchArgument result;
  result.name = name;
  result.type = type->annotation_str();
  if (type->isSubtypeOf(*c10::TensorType::get())) {
    result.kind = TorchArgument::Kind::tensor;
  } else if (const auto optional = type->cast<c10::OptionalType>();
             optional != nullptr && optional->getElementType()->isSubtypeOf(*c10::TensorType::get())) {
    result.kind = TorchArgument::Kind::optional_tensor;
  } else if (const auto tuple = type->cast<c10::TupleType>()) {
    result.kind = TorchArgument::Kind::tuple;
    for (std::size_t i = 0; i < tuple->elements().size(); ++i) {
      result.elements.push_back(argument(name + "." + std::to_string(i), tuple->elements()[i]));
    }
  }
  return result;
}

class Flattener {
 public:
  explicit Flattener(TorchArchive& archive) : literals_(archive, program_) {}

  TorchProgram flatten(const jit::Module& module) {
    const auto forward = module.find_method("forward");
    if (!forward) throw bad_input("its module has no method 'forward'");
    literals_.add_parameters(module);
    const auto& schema = forward->function().getSchema();
    const jit::Graph& graph = *jit::toGraphFunction(forward->function()).graph();
    Names names;
    names[graph.inputs().at(0)] = {module._ivalue(), "", -1};
    for (std::size_t i = 1; i < graph.inputs().size(); ++i) {
      const c10::Argument& declared = schema.arguments().at(i);
      program_.arguments.push_back(argument(declared.name(), declared.type()));
      if (declared.default_value()) {
        program_.arguments.back().has_default = true;
        program_.arguments.back().default_value =
            literals_.literal(*declared.default_value(), declared.name(), false);
      }
      program_.body.inputs.push_back(bind(names, graph.inputs()[i]));
    }
    write_nodes(*graph.block(), names, "", program_.body, 0);
    for (const auto* output : graph.outputs())
      program_.body.outputs.push_back(value_of(names, output, program_.body, ""));
    program_.value_count = next_;
    return std::move(program_);
  }

 private:
  TorchValueId bind(Names& names, const jit::Value* value) {
    names[value] = {{}, {}, next_};
    return next_++;
  }

  // An object that is used as a value (put into a list, say) becomes a literal that says so.
  TorchValueId value_of(Names& names, const jit::Value* value, TorchBlock& block, const std::string& path) {
    const auto found = names.find(value);
    if (found == names.end()) throw bad_input("its code uses a value that nothing computes");
    if (found->second.id >= 0) return found->second.id;
    return add_literal(literals_.literal(found->second.object, found->second.path, false), path, block);
  }

  TorchValueId add_literal(TorchLiteral literal, const std::string& path, TorchBlock& block) {
    if (++nodes_ > kMaxNodes)
      throw bad_input("its calls, written out, make more than " + std::to_string(kMaxNodes) + " nodes");
    block.nodes.push_back({"prim::Constant", path, {}, {next_}, {}, std::move(literal)});
    return next_++;
  }

  void write_nodes(const jit::Block& from, Names& names, const std::string& path, TorchBlock& to, int depth) {
    if (depth > kMaxDepth)
      throw bad_input("its calls and blocks nest more than " + std::to_string(kMaxDepth) + " deep");
    for (const jit::Node* node : from.nodes()) write_node(*node, names, path, to, depth);
  }

  void write_node(const jit::Node& node, Names& names, const std::string& path, TorchBlock& to, int depth) {
    switch (node.kind()) {
      case jit::prim::Constant:
        return write_constant(node, names, path, to);
      case jit::prim::GetAttr:
        return write_attribute(node, names, path, to);
      case jit::prim::CallMethod:
        return write_method(node, names, to, depth);
      case jit::prim::CallFunction:
        return write_function(node, names, path, to, depth);
      case jit::prim::SetAttr:
        return;  // a module's own counters
      default:
        break;
    }
    if (++nodes_ > kMaxNodes)
      throw bad_input("its calls, written out, make more than " + std::to_string(kMaxNodes) + " nodes");
    TorchNode copy{node.kind().toQualString(), path, {}, {}, {}, {}};
    for (const jit::Value* input : node.inputs()) copy.inputs.push_back(value_of(names, input, to, path));
    for (const jit::Block* block : node.blocks()) {
      TorchBlock& inner = copy.blocks.emplace_back();
      for (const jit::Value* input : block->inputs()) inner.inputs.push_back(bind(names, input));
      write_nodes(*block, names, path, inner, depth + 1);
      for (const jit::Value* output : block->outputs())
        inner.outputs.push_back(value_of(names, output, inner, path));
    }
    for (const jit::Value* output : node.outputs()) copy.outputs.push_back(bind(names, output));
    to.nodes.push_back(std::move(copy));
  }

  void write_constant(const jit::Node& node, Names& names, const std::string& path, TorchBlock& to) {
    const auto value = jit::toIValue(node.output());
    if (node.output()->type()->cast<c10::FunctionType>() != nullptr) return;  // of a call, which looks it up
    TorchLiteral literal;
    if (value) {
      literal = literals_.literal(*value, "constant", true);
    } else {
      literal.kind = TorchLiteral::Kind::other;
      literal.text = node.output()->type()->annotation_str();
    }
    names[node.output()] = {{}, {}, add_literal(std::move(literal), path, to)};
  }

  void write_attribute(const jit::Node& node, Names& names, const std::string& path, TorchBlock& to) {
    const auto found = names.find(node.input(0));
    const std::string& name = node.s(jit::attr::name);
    if (found == names.end() || !found->second.object.isObject()) {
      throw bad_input("reads the attribute '" + name + "' of an object that is not part of the file");
    }
    const auto object = found->second.object.toObject();
    const std::size_t slot = object->type()->getAttributeSlot(name);
    const std::string full = found->second.path.empty() ? name : found->second.path + "." + name;
    const c10::IValue& value = object->getSlot(slot);
    if (value.isObject()) {
      names[node.output()] = {value, full, -1};
      return;
    }
    names[node.output()] = {
        {}, {}, add_literal(literals_.literal(value, full, object->type()->is_parameter(slot)), path, to)};
  }

  void write_method(const jit::Node& node, Names& names, TorchBlock& to, int depth) {
    const auto found = names.find(node.input(0));
    const std::string& name = node.s(jit::attr::name);
    if (found == names.end() || !found->second.object.isObject()) {
      throw bad_input("calls the method '" + name + "' of an object that is not part of the file");
    }
    jit::Function& method = found->second.object.toObjectRef().type()->getMethod(name);
    write_call(method, node, 0, names, found->second.path, to, depth);
  }

  void write_function(const jit::Node& node, Names& names, const std::string& path, TorchBlock& to,
                      int depth) {
    const auto type = node.input(0)->type()->cast<c10::FunctionType>();
    if (type == nullptr) throw bad_input("calls a function that is not part of the file");
    write_call(*type->function(), node, 1, names, path, to, depth);
  }

  void write_call(jit::Function& function, const jit::Node& node, std::size_t first_input, Names& names,
                  const std::string& path, TorchBlock& to, int depth) {
    const auto graph = jit::toGraphFunction(function).graph();
    Names inner;
    for (std::size_t i = 0; i < graph->inputs().size(); ++i) {
      const jit::Value* given = node.input(first_input + i);
      const auto found = names.find(given);
      if (found == names.end()) throw bad_input("its code uses a value that nothing computes");
      inner[graph->inputs()[i]] = found->second;
    }
    write_nodes(*graph->block(), inner, path, to, depth + 1);
    for (std::size_t i = 0; i < graph->outputs().size(); ++i) {
      const auto found = inner.find(graph->outputs()[i]);
      if (found == inner.end()) throw bad_input("its code uses a value that nothing computes");
      names[node.output(i)] = found->second;
    }
  }

  TorchProgram program_;
  LiteralReader literals_;
  TorchValueId next_ = 0;
  std::size_t nodes_ = 0;
};

}  // namespace

TorchProgram flatten(const jit::Module& module, TorchArchive& archive) {
  return Flattener(archive).flatten(module);
}

}  // namespace layersim
