#pragma once
// TorchProgram -> neutral graph. The program is walked once, in the order in which it would run, with tensors
// that have a shape but no elements: conditions and loop bounds that shapes or the file decide are followed,
// loops with a known count are written out, and only what the data decides stays a branch or a loop of the
// graph. Shapes are known as the graph grows, since each node's shape rule runs when it is added.

#include <string>
#include <string_view>
#include <vector>

#include "sim/graph/infer_shapes.h"
#include "sim/import/torchscript/program.h"
#include "sim/import/torchscript/value.h"

namespace layersim {

class TorchConverter {
 public:
  TorchConverter(const TorchProgram& program, const ShapeBindings& bindings, Warnings& warnings);

  // Throws bad_use where the shape of an input is not given, bad_input where shapes contradict each other or
  // the code raises an exception.
  [[nodiscard]] Graph convert();

  // For operators: adds a node of the ONNX vocabulary and returns its first output.
  ValueId emit(std::string_view op, std::vector<ValueId> inputs, std::vector<Attribute> attributes = {},
               std::size_t outputs = 1, std::string_view domain = "");
  [[nodiscard]] ValueId last_output(std::size_t index) const { return graph_.nodes.back().outputs.at(index); }
  [[nodiscard]] ValueId ints(std::vector<std::int64_t> numbers);  // a constant list
  [[nodiscard]] ValueId int_scalar(std::int64_t number);
  [[nodiscard]] ValueId real_scalar(double number, DType dtype);
  // A constant whose numbers do not matter.
  [[nodiscard]] ValueId filler(Shape shape, DType dtype);

  [[nodiscard]] const Tensor& tensor(ValueId id) const { return graph_.value(id).tensor; }
  [[nodiscard]] Graph& graph() { return graph_; }
  [[nodiscard]] TorchValue& value(TorchValueId id) { return values_.at(static_cast<std::size_t>(id)); }

 private:
  void add_inputs();
  [[nodiscard]] TorchValue add_argument(const TorchArgument& argument, TorchValueId id);
  [[nodiscard]] DType input_type(TorchValueId id) const;
  [[nodiscard]] TorchValue literal(const TorchLiteral& literal);
  [[nodiscard]] ValueId stored_tensor(std::size_t index);
  void add_outputs(const TorchValue& value);
  void drop_unused();

  void run_block(const TorchBlock& block);
  void run_node(const TorchNode& node);
  void run_operator(const TorchNode& node);
  void leave_unmodelled(const TorchNode& node);

  // control_flow.cpp
  void run_if(const TorchNode& node);
  void run_both(const TorchNode& node, const TorchValue& condition);
  void run_loop(const TorchNode& node);
  void run_open_loop(const TorchNode& node, const TorchValue& trips, const TorchValue& condition,
                     std::vector<TorchValue> carried);
  [[nodiscard]] int open_scope(Scope::Kind kind, const TorchNode& node);
  [[nodiscard]] ValueId graph_value(const TorchValue& value);  // of a tensor or number; else kNoValue
  [[nodiscard]] ValueId condition_value(const TorchValue& value);
  [[nodiscard]] TorchValue join(const TorchValue& a, const TorchValue& b, std::vector<ValueId>& then_side,
                                std::vector<ValueId>& else_side, std::vector<ValueId>& joined);

  const TorchProgram& program_;
  const ShapeBindings& bindings_;
  Warnings& warnings_;
  Graph graph_;
  std::vector<TorchValue> values_;
  std::vector<ValueId> stored_;  // of TorchProgram::tensors; kNoValue before its first use
  const TorchNode* current_ = nullptr;
  int scope_ = 0;
  std::size_t steps_ = 0;
};

// Code of the program that raises an exception, when it is reached.
struct TorchRaised {
  std::string message;
};

// What is known of a number; nothing for other values and for numbers that the data decides.
[[nodiscard]] std::optional<std::int64_t> known_int(const TorchConverter& converter, const TorchValue& value);
[[nodiscard]] std::optional<double> known_real(const TorchConverter& converter, const TorchValue& value);

}  // namespace layersim
