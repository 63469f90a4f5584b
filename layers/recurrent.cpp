// Recurrent layers: RNN (1 gate), GRU (3 gates), LSTM (4 gates). With T steps, N sequences, D directions, G
// gates, I input features and hidden size H:
//   MACs     T x N x D x G x H x (I + H)
//   weights  D x G x H x (I + H), 2 x D x G x H for the two biases, 3 x D x H for peepholes
//   elements T x N x I in, T x N x D x H out; each step also touches the state
// Backward, gradients of inputs and states and gradients of weights each take the same MACs again.

#include <string>
#include <string_view>

#include "layers/kinds.h"
#include "layers/lowering.h"
#include "layers/work.h"
#include "sim/core/error.h"

namespace layersim {
namespace {

enum RecurrentSize : std::size_t {
  kCell,
  kBatch,
  kSteps,
  kInFeatures,
  kHidden,
  kDirections,
  kBias,
  kPeepholes
};
enum Cell : std::int64_t { kRnn, kLstm, kGru };

std::int64_t gates(std::int64_t cell) { return cell == kLstm ? 4 : cell == kGru ? 3 : 1; }

Cell cell_of(const Node& node) {
  if (node.op == "GRU") return kGru;
  return node.op == "RNN" ? kRnn : kLstm;
}

struct Geometry {
  std::int64_t steps;
  std::int64_t batch;
  std::int64_t in_features;
  std::int64_t hidden;
  std::int64_t directions;
  bool batch_first;
};

Geometry geometry_of(const ShapeContext& context) {
  const Shape& input = context.shape(0, 3, 3);  // steps, batch, features
  const std::string direction = context.text_or("direction", "forward");
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional") {
    throw bad_input("unknown direction '" + direction + "'");
  }
  const bool batch_first = context.int_or("layout", 0) != 0;
  Geometry geometry{
      input[0],   input[1], input[2], context.int_or("hidden_size", 0), direction == "bidirectional" ? 2 : 1,
      batch_first};
  if (batch_first) std::swap(geometry.steps, geometry.batch);

  // The quantized form stores its weights transposed.
  const bool transposed = context.node().op == "DynamicQuantizeLSTM";
  const Shape& weight = context.shape(1, 3, 3);
  const Shape& recurrence = context.shape(2, 3, 3);
  const std::size_t features_axis = transposed ? 1 : 2;
  if (geometry.hidden == 0) {
    geometry.hidden = recurrence[features_axis];
    if (geometry.hidden < 0) throw ShapeUnknown{};
  }
  if (geometry.hidden < 1 || geometry.hidden > kMaxElements / 8) {
    throw bad_input("hidden_size is " + std::to_string(geometry.hidden));
  }
  const std::int64_t rows = gates(cell_of(context.node())) * geometry.hidden;
  const std::int64_t weight_rows = weight[3 - features_axis];
  if (weight_rows >= 0 && weight_rows != rows) {
    throw bad_input("weight " + to_string(weight) + " should have " + std::to_string(rows) +
                    " rows (gates x hidden_size)");
  }
  if (weight[0] >= 0 && weight[0] != geometry.directions) {
    throw bad_input("weight " + to_string(weight) + " is not for " + std::to_string(geometry.directions) +
                    " direction(s)");
  }
  const std::int64_t weight_features = weight[features_axis];
  if (weight_features >= 0 && geometry.in_features >= 0 && weight_features != geometry.in_features) {
    throw bad_input("input has " + std::to_string(geometry.in_features) + " features, weight " +
                    to_string(weight) + " expects " + std::to_string(weight_features));
  }
  return geometry;
}

void infer_recurrent(ShapeContext& context) {
  const Geometry g = geometry_of(context);
  const DType dtype = context.dtype(0);
  Shape sequence{g.steps, g.directions, g.batch, g.hidden};
  Shape state{g.directions, g.batch, g.hidden};
  if (g.batch_first) {
    sequence = {g.batch, g.steps, g.directions, g.hidden};
    state = {g.batch, g.directions, g.hidden};
  }
  context.set_output(0, dtype, std::move(sequence));
  context.set_output(1, dtype, state);
  context.set_output(2, dtype, std::move(state));
}

void lower_recurrent(LoweringContext& context) {
  (void)context.full_shape(0);
  const Geometry g = geometry_of(context);
  Problem problem = make_problem(recurrent_kind(), context.dtype(0),
                                 {{"cell", cell_of(context.node())},
                                  {"batch", g.batch},
                                  {"steps", g.steps},
                                  {"in_features", g.in_features},
                                  {"hidden", g.hidden},
                                  {"directions", g.directions},
                                  {"bias", context.has_input(3) ? 1 : 0},
                                  {"peepholes", context.has_input(7) ? 1 : 0}});
  problem.weight_dtype = context.weight_dtype(1);
  context.add(std::move(problem));
}

LayerWork recurrent_work(const Problem& problem) {
  const double gate_rows =
      at(problem, kDirections) * static_cast<double>(gates(problem.sizes[kCell])) * at(problem, kHidden);
  const double positions = at(problem, kSteps) * at(problem, kBatch);
  const double products = gate_rows * (at(problem, kInFeatures) + at(problem, kHidden));
  const double out = positions * at(problem, kDirections) * at(problem, kHidden);
  const double biases = 2 * at(problem, kBias) * gate_rows;
  const double peepholes = 3 * at(problem, kPeepholes) * at(problem, kDirections) * at(problem, kHidden);
  LayerWork work = weighted_product_work(problem, {.macs = positions * products,
                                                   .input_elements = positions * at(problem, kInFeatures),
                                                   .weight_elements = products + peepholes,
                                                   .bias_elements = biases,
                                                   .output_elements = out});
  // Per gate and output: add of the two products and the gate's function; the state update costs as much as
  // one gate more.
  const double pointwise = positions * (gate_rows + at(problem, kDirections) * at(problem, kHidden)) * 5;
  work.forward.flop += pointwise;
  work.backward_data.flop += pointwise;
  // One product for all inputs, then a product and a point-wise kernel for each step, in each direction.
  const int steps = static_cast<int>(std::min(at(problem, kSteps), 1e6));
  const int directions = static_cast<int>(problem.sizes[kDirections]);
  work.forward.kernels = directions * (1 + 2 * steps);
  work.backward_data.kernels = directions * (1 + 2 * steps);
  work.backward_weight.kernels = 2 * directions;
  work.keeps_output = true;
  work.kept_elements =
      positions * gate_rows + (problem.sizes[kCell] == kLstm ? out : 0);  // gates, cell states
  return work;
}

}  // namespace

const LayerKind& recurrent_kind() {
  static const LayerKind kKind{
      .name = "recurrent",
      .summary = "RNN, LSTM and GRU layers, one or two directions",
      .parameters = {{"cell", "choice", 0, 2, Draw::choice, {"rnn", "lstm", "gru"}},
                     {"batch", "sequence", 1, 512, Draw::log_uniform},
                     {"steps", "step", 1, 1500, Draw::log_uniform},
                     {"in_features", "element", 1, 4096, Draw::log_uniform},
                     {"hidden", "element", 1, 4096, Draw::log_uniform},
                     {"directions", "direction", 1, 2, Draw::uniform},
                     {"bias", "flag", 0, 1, Draw::uniform},
                     {"peepholes", "flag", 0, 0, Draw::fixed}},
      .operators = {{"RNN", infer_recurrent, lower_recurrent},
                    {"LSTM", infer_recurrent, lower_recurrent},
                    {"GRU", infer_recurrent, lower_recurrent},
                    {"DynamicQuantizeLSTM", infer_recurrent, lower_recurrent, "com.microsoft"}},
      .work = recurrent_work};
  return kKind;
}

}  // namespace layersim
