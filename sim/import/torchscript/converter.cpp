#include "sim/import/torchscript/converter.h"

#include <algorithm>

#include "sim/core/error.h"
#include "sim/graph/onnx_dtype.h"
#include "sim/graph/shape_rule.h"
#include "sim/import/torchscript/operator.h"

namespace layersim {
namespace {

constexpr int kOpset = 17;
constexpr std::size_t kMaxSteps = 5'000'000;  // nodes of the program that are walked, loops written out

// Operators that look an index up.
bool is_lookup(const TorchNode& node, TorchValueId id) {
  return (node.kind == "aten::embedding" || node.kind == "aten::embedding_bag") && node.inputs.size() > 1 &&
         node.inputs[1] == id;
}

bool looks_up(const TorchBlock& block, TorchValueId id) {
  return std::any_of(block.nodes.begin(), block.nodes.end(), [&](const TorchNode& node) {
    return is_lookup(node, id) || std::any_of(node.blocks.begin(), node.blocks.end(),
                                              [&](const TorchBlock& inner) { return looks_up(inner, id); });
  });
}

// "/features/0/Conv", in the manner of PyTorch's ONNX exporter.
std::string node_name(const TorchNode* node, std::string_view op) {
  std::string path = node == nullptr || node->path.empty() ? "" : "/" + node->path;
  std::replace(path.begin(), path.end(), '.', '/');
  return path + "/" + std::string(op);
}

bool has_first_shape(const Graph& graph, const Node& node) {
  if (node.input(0) == kNoValue) return true;
  const Value& first = graph.value(node.input(0));
  return first.tensor.shape || first.sequence || node.op == "Range";
}

}  // namespace

TorchConverter::TorchConverter(const TorchProgram& program, const ShapeBindings& bindings, Warnings& warnings)
    : program_(program),
      bindings_(bindings),
      warnings_(warnings),
      values_(static_cast<std::size_t>(program.value_count)),
      stored_(program.tensors.size(), kNoValue) {}

Graph TorchConverter::convert() {
  graph_.name = "torchscript";
  add_inputs();
  try {
    run_block(program_.body);
  } catch (const TorchRaised& raised) {
    throw bad_input("its code raises an exception with these inputs: " + raised.message);
  }
  for (const TorchValueId id : program_.body.outputs) add_outputs(value(id));
  drop_unused();
  // Shapes are bound anew for each batch.
  for (const ValueId id : graph_.inputs) graph_.value(id).tensor.shape.reset();
  return std::move(graph_);
}

// As TorchScript itself leaves out what contributes to no output; most of it are sizes that were looked at.
void TorchConverter::drop_unused() {
  std::vector<bool> used(graph_.values.size(), false);
  const auto use = [&](const std::vector<ValueId>& ids) {
    for (const ValueId id : ids) {
      if (id != kNoValue) used[static_cast<std::size_t>(id)] = true;
    }
  };
  use(graph_.outputs);
  std::vector<Node> kept;
  for (auto node = graph_.nodes.rbegin(); node != graph_.nodes.rend(); ++node) {
    const bool needed = node->domain == kControlDomain ||
                        std::any_of(node->outputs.begin(), node->outputs.end(), [&](ValueId id) {
                          return id != kNoValue && used[static_cast<std::size_t>(id)];
                        });
    if (!needed) continue;
    use(node->inputs);
    kept.push_back(std::move(*node));
  }
  std::reverse(kept.begin(), kept.end());
  graph_.nodes = std::move(kept);
}

void TorchConverter::add_inputs() {
  for (std::size_t i = 0; i < program_.arguments.size(); ++i) {
    const TorchValueId id = program_.body.inputs.at(i);
    value(id) = add_argument(program_.arguments[i], id);
  }
  // The file does not tell shapes: the user's tell at least the rank.
  for (const ValueId id : graph_.inputs) {
    for (const auto& [name, shape] : bindings_.inputs) {
      const bool named = name.empty() ? graph_.inputs.size() == 1 : graph_.value(id).name == name;
      if (named) graph_.value(id).declared = DeclaredShape(shape.size());
    }
  }
  // Loops, whose counts --dim may give, are found later.
  ShapeBindings of_inputs = bindings_;
  of_inputs.dims.clear();
  bind_inputs(graph_, of_inputs, warnings_);
}

TorchValue TorchConverter::add_argument(const TorchArgument& argument, TorchValueId id) {
  using Kind = TorchArgument::Kind;
  if (argument.kind == Kind::tuple) {
    std::vector<TorchValue> items;
    for (const TorchArgument& element : argument.elements) items.push_back(add_argument(element, id));
    return make_sequence(TorchSequence::Kind::tuple, std::move(items));
  }
  const bool wanted = argument.kind == Kind::optional_tensor && bindings_.inputs.contains(argument.name);
  if (argument.kind == Kind::tensor || wanted) {
    const ValueId input = graph_.add_value({argument.name, Origin::input, {input_type(id), {}, {}}, {}, {}});
    graph_.inputs.push_back(input);
    return TorchValue(TorchTensorValue{input});
  }
  if (argument.has_default) return literal(argument.default_value);
  if (argument.kind == Kind::optional_tensor) return TorchValue(TorchNone{});
  throw bad_input("its forward method needs '" + argument.name + "' of type " + argument.type +
                  ", which is no tensor and has no default");
}

// TorchScript does not tell. Indices are looked up; all else has the type of the parameters.
DType TorchConverter::input_type(TorchValueId id) const {
  if (looks_up(program_.body, id)) return DType::i64;
  for (const TorchTensor& tensor : program_.tensors) {
    if (tensor.parameter && is_float(tensor.dtype)) return tensor.dtype;
  }
  return DType::f32;
}

TorchValue TorchConverter::literal(const TorchLiteral& literal) {
  using Kind = TorchLiteral::Kind;
  switch (literal.kind) {
    case Kind::none:
      return TorchValue(TorchNone{});
    case Kind::boolean:
      return TorchValue(literal.integer != 0);
    case Kind::integer:
      return TorchValue(literal.integer);
    case Kind::real:
      return TorchValue(literal.real);
    case Kind::text:
      return TorchValue(literal.text);
    case Kind::tensor:
      return TorchValue(TorchTensorValue{stored_tensor(static_cast<std::size_t>(literal.integer))});
    case Kind::list:
    case Kind::tuple: {
      std::vector<TorchValue> items;
      for (const TorchLiteral& element : literal.elements) items.push_back(this->literal(element));
      return make_sequence(
          literal.kind == Kind::list ? TorchSequence::Kind::list : TorchSequence::Kind::tuple,
          std::move(items));
    }
    case Kind::other:
      break;
  }
  return TorchValue(TorchObject{literal.text});
}

ValueId TorchConverter::stored_tensor(std::size_t index) {
  ValueId& id = stored_.at(index);
  if (id != kNoValue) return id;
  const TorchTensor& tensor = program_.tensors.at(index);
  const bool learned = tensor.parameter && !tensor.shape.empty();
  id = graph_.add_value({tensor.name,
                         learned ? Origin::weight : Origin::constant,
                         {tensor.dtype, tensor.shape, tensor.contents},
                         {},
                         {}});
  return id;
}

void TorchConverter::add_outputs(const TorchValue& value) {
  if (const auto* tensor = value.get<TorchTensorValue>()) graph_.outputs.push_back(tensor->id);
  if (const auto* number = value.get<TorchNumber>()) graph_.outputs.push_back(number->id);
  if (const TorchSequence* sequence = value.sequence()) {
    for (const TorchValue& item : sequence->items) add_outputs(item);
  }
}

ValueId TorchConverter::emit(std::string_view op, std::vector<ValueId> inputs,
                             std::vector<Attribute> attributes, std::size_t outputs,
                             std::string_view domain) {
  Node node;
  node.name = node_name(current_, op);
  node.op = op;
  node.domain = domain;
  node.opset = domain.empty() ? kOpset : 1;
  node.scope = scope_;
  node.inputs = std::move(inputs);
  node.attributes = std::move(attributes);
  for (std::size_t i = 0; i < outputs; ++i) {
    node.outputs.push_back(
        graph_.add_value({node.name + "_output_" + std::to_string(i), Origin::computed, {}, {}, {}}));
  }
  graph_.nodes.push_back(std::move(node));
  const Node& added = graph_.nodes.back();
  const ShapeRule* rule = find_shape_rule(added.domain, added.op);
  if (rule != nullptr && has_first_shape(graph_, added)) {
    try {
      Warnings later;  // they come again when the whole graph is inferred
      ShapeContext context(graph_, added, later);
      rule->infer(context);
    } catch (const ShapeUnknown&) {
      // The data decides.
    } catch (Error& error) {
      error.within(graph_.describe(added));
      throw;
    }
  }
  return graph_.nodes.back().outputs.front();
}

ValueId TorchConverter::ints(std::vector<std::int64_t> numbers) {
  const Shape shape{static_cast<std::int64_t>(numbers.size())};
  auto contents = std::make_shared<const Constant>(Constant{std::move(numbers), {}});
  return graph_.add_value({"", Origin::constant, {DType::i64, shape, std::move(contents)}, {}, {}});
}

ValueId TorchConverter::int_scalar(std::int64_t number) {
  auto contents = std::make_shared<const Constant>(Constant{{number}, {}});
  return graph_.add_value({"", Origin::constant, {DType::i64, Shape{}, std::move(contents)}, {}, {}});
}

ValueId TorchConverter::real_scalar(double number, DType dtype) {
  Constant contents;
  if (is_float(dtype)) {
    contents.reals.push_back(number);
  } else {
    contents.ints.push_back(static_cast<std::int64_t>(std::clamp(number, -9e18, 9e18)));
  }
  return graph_.add_value({"",
                           Origin::constant,
                           {dtype, Shape{}, std::make_shared<const Constant>(std::move(contents))},
                           {},
                           {}});
}

ValueId TorchConverter::filler(Shape shape, DType dtype) {
  return graph_.add_value({"", Origin::constant, {dtype, std::move(shape), nullptr}, {}, {}});
}

void TorchConverter::run_block(const TorchBlock& block) {
  for (const TorchNode& node : block.nodes) run_node(node);
}

void TorchConverter::run_node(const TorchNode& node) {
  if (++steps_ > kMaxSteps) {
    throw bad_input("its loops, written out, make more than " + std::to_string(kMaxSteps) + " steps");
  }
  current_ = &node;
  if (node.kind == "prim::Constant") {
    value(node.outputs.at(0)) = literal(node.literal);
  } else if (node.kind == "prim::If") {
    run_if(node);
  } else if (node.kind == "prim::Loop") {
    run_loop(node);
  } else if (node.kind == "prim::RaiseException") {
    const auto* message = value(node.inputs.at(0)).get<std::string>();
    throw TorchRaised{message == nullptr ? "(its text is not known)" : *message};
  } else {
    run_operator(node);
  }
}

void TorchConverter::run_operator(const TorchNode& node) {
  const TorchOperator* op = find_torch_operator(node.kind);
  const std::size_t nodes_before = graph_.nodes.size();
  if (op == nullptr) return leave_unmodelled(node);
  try {
    TorchCall call(*this, node, *op);
    op->convert(call);
    if (call.results().size() < node.outputs.size()) throw ShapeUnknown{};
    for (std::size_t i = 0; i < node.outputs.size(); ++i) value(node.outputs[i]) = call.results()[i];
    // Later readers of a tensor that was changed in place see the change.
    if (node.kind.ends_with('_') && !node.kind.ends_with("__") && !call.results().empty() &&
        !node.inputs.empty()) {
      value(node.inputs[0]) = call.results()[0];
    }
  } catch (const ShapeUnknown&) {
    graph_.nodes.resize(nodes_before);
    leave_unmodelled(node);
  }
}

// An operator without a model: a row of its own.
void TorchConverter::leave_unmodelled(const TorchNode& node) {
  const std::size_t colon = node.kind.find("::");
  const std::string domain = colon == std::string::npos ? "" : node.kind.substr(0, colon);
  const std::string op = colon == std::string::npos ? node.kind : node.kind.substr(colon + 2);
  std::vector<ValueId> inputs;
  for (const TorchValueId id : node.inputs) {
    const ValueId input = graph_value(value(id));
    if (input != kNoValue) inputs.push_back(input);
    if (const TorchSequence* sequence = value(id).sequence()) {
      for (const TorchValue& item : sequence->items) {
        if (item.is_tensor()) inputs.push_back(item.get<TorchTensorValue>()->id);
      }
    }
  }
  if (node.outputs.empty()) return;
  if (inputs.empty()) {  // works on numbers, texts or objects alone
    for (const TorchValueId id : node.outputs) value(id) = TorchValue(TorchUnknown{node.kind});
    return;
  }
  emit(op, std::move(inputs), {}, node.outputs.size(), domain);
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    value(node.outputs[i]) = TorchValue(TorchTensorValue{last_output(i)});
  }
}

std::optional<std::int64_t> known_int(const TorchConverter& converter, const TorchValue& value) {
  if (const auto* flag = value.get<bool>()) return *flag ? 1 : 0;
  if (const auto* integer = value.get<std::int64_t>()) return *integer;
  if (const auto* number = value.get<TorchNumber>()) {
    const auto& contents = converter.tensor(number->id).constant;
    if (contents != nullptr && contents->ints.size() == 1 && contents->ints[0] != kUnknownInt) {
      return contents->ints[0];
    }
  }
  return std::nullopt;
}

std::optional<double> known_real(const TorchConverter& converter, const TorchValue& value) {
  if (const auto* real = value.get<double>()) return *real;
  if (const auto* number = value.get<TorchNumber>()) {
    const auto& contents = converter.tensor(number->id).constant;
    if (contents != nullptr && contents->reals.size() == 1) return contents->reals[0];
  }
  const auto integer = known_int(converter, value);
  return integer ? std::optional(static_cast<double>(*integer)) : std::nullopt;
}

}  // namespace layersim
