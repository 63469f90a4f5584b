#pragma once
// An operator of TorchScript: how a call of it becomes nodes of the graph. Operators stand in the files of
// operators/, by family.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/graph/shape_rule.h"
#include "sim/import/torchscript/converter.h"

namespace layersim {

struct TorchOperator;

// A call of an operator. Accessors throw ShapeUnknown where a number or shape is not known: the call is then
// left in the graph as it is, an operator without a model.
class TorchCall {
 public:
  TorchCall(TorchConverter& converter, const TorchNode& node, const TorchOperator& op);

  [[nodiscard]] TorchConverter& converter() const { return converter_; }
  [[nodiscard]] const TorchOperator& op() const { return op_; }
  [[nodiscard]] std::size_t count() const { return arguments_.size(); }
  [[nodiscard]] const TorchValue& operator[](std::size_t i) const;  // none beyond the last

  [[nodiscard]] ValueId tensor(std::size_t i) const;
  [[nodiscard]] ValueId optional_tensor(std::size_t i) const;  // kNoValue for none
  // A tensor, or a number as a scalar of the type of tensor `like`.
  [[nodiscard]] ValueId operand(std::size_t i, ValueId like) const;
  [[nodiscard]] std::vector<ValueId> tensors(std::size_t i) const;
  [[nodiscard]] std::int64_t integer(std::size_t i) const;
  [[nodiscard]] std::int64_t integer_or(std::size_t i, std::int64_t fallback) const;
  [[nodiscard]] double real(std::size_t i) const;
  [[nodiscard]] bool flag(std::size_t i) const { return integer_or(i, 0) != 0; }
  [[nodiscard]] std::string text(std::size_t i) const;
  // A list of known integers; a single one counts as a list of `count` times it.
  [[nodiscard]] std::vector<std::int64_t> ints(std::size_t i, std::size_t count = 1) const;
  // A list of integers as a tensor of rank 1, whether the file fixes them or the graph computes them.
  [[nodiscard]] ValueId sizes(std::size_t i) const;
  // A copy: what is emitted next moves the graph's values.
  [[nodiscard]] Shape shape(std::size_t i) const;
  [[nodiscard]] std::int64_t axis(std::size_t i, std::size_t rank) const;  // counted from the front

  ValueId emit(std::string_view op, std::vector<ValueId> inputs, std::vector<Attribute> attributes = {},
               std::size_t outputs = 1) const {
    return converter_.emit(op, std::move(inputs), std::move(attributes), outputs);
  }
  // The results, in order.
  void give(TorchValue value) { results_.push_back(std::move(value)); }
  void give(ValueId tensor) { results_.emplace_back(TorchTensorValue{tensor}); }
  [[nodiscard]] std::vector<TorchValue>& results() { return results_; }

 private:
  TorchConverter& converter_;
  const TorchOperator& op_;
  std::vector<TorchValue> arguments_;
  std::vector<TorchValue> results_;
};

struct TorchOperator {
  std::string_view name;  // without the trailing '_' of a form that works in place
  void (*convert)(TorchCall&);
  std::string_view onnx = "";  // for rules that serve several operators
};

// Of the name with its namespace, "aten::relu_" included; nullptr when there is none.
[[nodiscard]] const TorchOperator* find_torch_operator(std::string_view kind);

// The families.
[[nodiscard]] std::span<const TorchOperator> torch_windows();     // convolution, pooling
[[nodiscard]] std::span<const TorchOperator> torch_products();    // matrix products
[[nodiscard]] std::span<const TorchOperator> torch_recurrence();  // LSTM, GRU, RNN
[[nodiscard]] std::span<const TorchOperator> torch_attention();
[[nodiscard]] std::span<const TorchOperator> torch_norms();
[[nodiscard]] std::span<const TorchOperator> torch_elements();  // activations, arithmetic
[[nodiscard]] std::span<const TorchOperator> torch_reductions();
[[nodiscard]] std::span<const TorchOperator> torch_layouts();     // reshape, join, split
[[nodiscard]] std::span<const TorchOperator> torch_fills();       // tensors from sizes, casts
[[nodiscard]] std::span<const TorchOperator> torch_scalars();     // numbers and sizes
[[nodiscard]] std::span<const TorchOperator> torch_containers();  // lists, tuples, dictionaries

}  // namespace layersim
