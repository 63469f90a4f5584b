// LSTM, GRU and RNN: one node a layer of the stack, as PyTorch's ONNX exporter writes them.

#include "sim/core/error.h"
#include "sim/import/torchscript/operator.h"

namespace layersim {
namespace {

struct Stack {
  std::vector<ValueId> states;   // initial ones of all layers, [layers x directions, N, H]
  std::vector<ValueId> weights;  // for each layer and direction: W, R (, bias of W, bias of R)
  bool biases = true;
  std::int64_t layers = 1;
  std::int64_t directions = 1;
};

// One tensor [directions, ...] of one of each direction.
ValueId stack_directions(const TorchCall& call, const std::vector<ValueId>& parts) {
  std::vector<ValueId> stacked;
  for (const ValueId part : parts)
    stacked.push_back(call.emit("Unsqueeze", {part, call.converter().ints({0})}));
  return stacked.size() == 1 ? stacked[0] : call.emit("Concat", stacked, {{"axis", std::int64_t{0}}});
}

ValueId rows(const TorchCall& call, ValueId tensor, std::int64_t begin, std::int64_t end) {
  TorchConverter& converter = call.converter();
  return call.emit("Slice", {tensor, converter.ints({begin}), converter.ints({end}), converter.ints({0})});
}

// The outputs of one layer: sequence, then final states.
std::vector<ValueId> add_layer(const TorchCall& call, const Stack& stack, std::int64_t layer, ValueId input) {
  const std::size_t per_direction = stack.biases ? 4 : 2;
  std::vector<ValueId> inputs{input};
  for (const std::size_t part : {0U, 1U}) {
    std::vector<ValueId> parts;
    for (std::int64_t d = 0; d < stack.directions; ++d) {
      parts.push_back(
          stack.weights.at(static_cast<std::size_t>(layer * stack.directions + d) * per_direction + part));
    }
    inputs.push_back(stack_directions(call, parts));
  }
  ValueId bias = kNoValue;
  if (stack.biases) {
    std::vector<ValueId> parts;
    for (std::int64_t d = 0; d < stack.directions; ++d) {
      const std::size_t first = static_cast<std::size_t>(layer * stack.directions + d) * 4;
      parts.push_back(call.emit("Concat", {stack.weights.at(first + 2), stack.weights.at(first + 3)},
                                {{"axis", std::int64_t{0}}}));
    }
    bias = stack_directions(call, parts);
  }
  inputs.push_back(bias);
  inputs.push_back(kNoValue);  // lengths
  for (const ValueId state : stack.states) {
    inputs.push_back(stack.layers == 1
                         ? state
                         : rows(call, state, layer * stack.directions, (layer + 1) * stack.directions));
  }
  const auto& recurrence = call.converter().tensor(inputs[2]).shape;
  if (!recurrence || recurrence->size() != 3) throw ShapeUnknown{};
  std::vector<Attribute> attributes{{"hidden_size", recurrence->at(2)}};
  if (stack.directions == 2) attributes.push_back({"direction", std::string("bidirectional")});
  const std::size_t outputs = 1 + stack.states.size();
  call.emit(call.op().onnx, inputs, attributes, outputs);
  std::vector<ValueId> results;
  for (std::size_t i = 0; i < outputs; ++i) results.push_back(call.converter().last_output(i));
  // [T, directions, N, H] -> [T, N, directions x H]
  if (stack.directions == 1) {
    results[0] = call.emit("Squeeze", {results[0], call.converter().ints({1})});
  } else {
    const ValueId turned =
        call.emit("Transpose", {results[0]}, {{"perm", std::vector<std::int64_t>{0, 2, 1, 3}}});
    results[0] = call.emit("Reshape", {turned, call.converter().ints({0, 0, -1})});
  }
  return results;
}

// input, initial states, weights, biases?, layers, dropout, training, bidirectional, batch first
void recurrent(TorchCall& call) {
  if (call.count() != 9 || call[2].sequence() == nullptr) throw ShapeUnknown{};  // packed sequences
  Stack stack;
  stack.states = call[1].is_tensor() ? std::vector<ValueId>{call.tensor(1)} : call.tensors(1);
  stack.weights = call.tensors(2);
  stack.biases = call.flag(3);
  stack.layers = call.integer(4);
  stack.directions = call.flag(7) ? 2 : 1;
  const bool batch_first = call.flag(8);
  const std::size_t expected =
      static_cast<std::size_t>(stack.layers * stack.directions) * (stack.biases ? 4 : 2);
  if (stack.weights.size() != expected || call.shape(0).size() != 3) throw ShapeUnknown{};  // projections
  const std::vector<std::int64_t> time_first{1, 0, 2};
  ValueId sequence = call.tensor(0);
  if (batch_first) sequence = call.emit("Transpose", {sequence}, {{"perm", time_first}});
  std::vector<std::vector<ValueId>> states(stack.states.size());
  for (std::int64_t layer = 0; layer < stack.layers; ++layer) {
    const std::vector<ValueId> results = add_layer(call, stack, layer, sequence);
    sequence = results[0];
    for (std::size_t i = 0; i < states.size(); ++i) states[i].push_back(results[i + 1]);
  }
  if (batch_first) sequence = call.emit("Transpose", {sequence}, {{"perm", time_first}});
  call.give(sequence);
  for (const std::vector<ValueId>& of_layers : states) {
    call.give(of_layers.size() == 1 ? of_layers[0]
                                    : call.emit("Concat", of_layers, {{"axis", std::int64_t{0}}}));
  }
}

// input, states, W, R, bias of W, bias of R: one step.
void cell(TorchCall& call) {
  Stack stack;
  stack.states = call[1].is_tensor() ? std::vector<ValueId>{call.tensor(1)} : call.tensors(1);
  for (const std::size_t i : {2U, 3U, 4U, 5U}) {
    if (!call[i].is_none()) stack.weights.push_back(call.tensor(i));
  }
  stack.biases = stack.weights.size() == 4;
  TorchConverter& converter = call.converter();
  if (call.shape(0).size() != 2) throw ShapeUnknown{};
  for (ValueId& state : stack.states) state = call.emit("Unsqueeze", {state, converter.ints({0})});
  const std::vector<ValueId> results =
      add_layer(call, stack, 0, call.emit("Unsqueeze", {call.tensor(0), converter.ints({0})}));
  for (std::size_t i = 1; i < results.size(); ++i) {
    call.give(call.emit("Squeeze", {results[i], converter.ints({0})}));
  }
}

}  // namespace

std::span<const TorchOperator> torch_recurrence() {
  static constexpr TorchOperator kOperators[] = {
      {"lstm", recurrent, "LSTM"},    {"gru", recurrent, "GRU"},      {"rnn_tanh", recurrent, "RNN"},
      {"rnn_relu", recurrent, "RNN"}, {"lstm_cell", cell, "LSTM"},    {"gru_cell", cell, "GRU"},
      {"rnn_tanh_cell", cell, "RNN"}, {"rnn_relu_cell", cell, "RNN"},
  };
  return kOperators;
}

}  // namespace layersim
