// LSTM, GRU and RNN, each as one call of libtorch. ONNX orders the gates of LSTM and GRU otherwise than
// libtorch, which makes no difference to the time of random weights.

#include <ATen/Functions.h>

#include "sampler/network/torch/node_operator.h"

namespace layersim {
namespace {

enum RecurrentInput : std::size_t {
  kData,
  kWeight,
  kRecurrence,
  kBias,
  kLengths,
  kState,
  kCellState,
  kPeepholes
};

struct Cell {
  std::int64_t hidden = 0;
  std::int64_t directions = 1;
  bool bias = false;
  bool training = false;
  Tensors weights;  // for each direction: of input, of state, and the biases of both
};

Cell read_geometry(const NodeView& view) {
  const std::string direction = view.text_or("direction", "forward");
  view.require(direction != "reverse", "one direction alone, backwards");
  view.require(view.int_or("layout", 0) == 0, "the batch as the first axis");
  view.require(view.int_or("input_forget", 0) == 0, "coupled gates");
  view.require(view.real_or("clip", 0) == 0, "clipped gates");
  view.require(!view.has_input(kLengths), "sequences of several lengths");
  view.require(!view.has_input(kPeepholes), "peepholes");
  view.require(view.is_stored(kWeight) && view.is_stored(kRecurrence), "weights that are computed");
  view.require(view.node().op != "GRU" || view.int_or("linear_before_reset", 0) != 0,
               "a reset gate before the product (linear_before_reset = 0), which libtorch has not");
  return {.hidden = view.shape(kRecurrence)[2],
          .directions = direction == "bidirectional" ? 2 : 1,
          .bias = view.has_input(kBias),
          .training = view.training(),
          .weights = {}};
}

// Tensors of their own, as the parameters of a module: slices of one tensor would make the backward pass
// longer.
Cell read_cell(const NodeView& view) {
  Cell cell = read_geometry(view);
  StoredTensors& stored = view.stored();
  const auto add = [&](std::size_t input, const at::Tensor& part) {
    cell.weights.push_back(stored.add_part(view.node().input(input), part.clone()));
  };
  const at::Tensor weight = stored.contents(view.node().input(kWeight));
  const at::Tensor recurrence = stored.contents(view.node().input(kRecurrence));
  const at::Tensor bias = cell.bias ? stored.contents(view.node().input(kBias)) : at::Tensor();
  for (std::int64_t direction = 0; direction < cell.directions; ++direction) {
    add(kWeight, weight[direction]);
    add(kRecurrence, recurrence[direction]);
    if (!cell.bias) continue;
    for (const at::Tensor& half : bias[direction].chunk(2)) add(kBias, half);
  }
  return cell;
}

at::Tensor state_of(const Tensors& inputs, std::size_t index, const Cell& cell) {
  if (index < inputs.size() && inputs[index].defined()) return inputs[index];
  return at::zeros({cell.directions, inputs[kData].size(1), cell.hidden}, inputs[kData].options());
}

// ONNX has the directions on an axis of their own: steps, directions, sequences, features.
at::Tensor split_directions(const at::Tensor& output, const Cell& cell) {
  if (cell.directions == 1) return output.unsqueeze(1);
  return output.view({output.size(0), output.size(1), cell.directions, cell.hidden}).permute({0, 2, 1, 3});
}

NodeCall prepare_lstm(const NodeView& view) {
  const Cell cell = read_cell(view);
  return [cell](const Tensors& inputs) {
    const Tensors states{state_of(inputs, kState, cell), state_of(inputs, kCellState, cell)};
    auto [output, state, cell_state] = at::lstm(inputs[kData], states, cell.weights, cell.bias, 1, 0,
                                                cell.training, cell.directions == 2, false);
    return Tensors{split_directions(output, cell), state, cell_state};
  };
}

using PlainCell = std::tuple<at::Tensor, at::Tensor> (*)(const at::Tensor&, const at::Tensor&, at::TensorList,
                                                         bool, std::int64_t, double, bool, bool, bool);

NodeCall plain_cell(const Cell& cell, PlainCell function) {
  return [cell, function](const Tensors& inputs) {
    auto [output, state] = function(inputs[kData], state_of(inputs, kState, cell), cell.weights, cell.bias, 1,
                                    0, cell.training, cell.directions == 2, false);
    return Tensors{split_directions(output, cell), state};
  };
}

NodeCall prepare_gru(const NodeView& view) { return plain_cell(read_cell(view), at::gru); }

NodeCall prepare_rnn(const NodeView& view) {
  const AttributeValue* given = view.node().attribute("activations");
  std::string function = "Tanh";
  if (const auto* names = given == nullptr ? nullptr : std::get_if<std::vector<std::string>>(given)) {
    if (!names->empty()) function = names->front();
  }
  view.require(function == "Tanh" || function == "Relu", "the activation " + function);
  return plain_cell(read_cell(view), function == "Relu" ? PlainCell(at::rnn_relu) : PlainCell(at::rnn_tanh));
}

}  // namespace

std::span<const NodeOperator> recurrent_operators() {
  static constexpr NodeOperator kOperators[] = {
      {"LSTM", prepare_lstm, "", true},
      {"GRU", prepare_gru, "", true},
      {"RNN", prepare_rnn, "", true},
  };
  return kOperators;
}

}  // namespace layersim
