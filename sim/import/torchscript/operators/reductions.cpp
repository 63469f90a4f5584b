// Reductions along axes, sorting, and running sums.

#include "sim/import/torchscript/operator.h"
#include "sim/import/torchscript/operators/numbers.h"

namespace layersim {
namespace {

using Ints = std::vector<std::int64_t>;

// The axes in argument `i`; none or an empty list: all.
Ints reduced_axes(const TorchCall& call, std::size_t i) {
  Ints axes = call[i].is_none() ? Ints{} : call.ints(i);
  if (axes.empty()) {
    for (std::size_t axis = 0; axis < call.shape(0).size(); ++axis)
      axes.push_back(static_cast<std::int64_t>(axis));
  }
  return axes;
}

ValueId reduce(const TorchCall& call, std::string_view op, const Ints& axes, bool keep) {
  std::vector<ValueId> inputs{call.tensor(0)};
  std::vector<Attribute> attributes{{"keepdims", std::int64_t{keep}}};
  if (op == "ReduceSum") {
    inputs.push_back(call.converter().ints(axes));
  } else {
    attributes.push_back({"axes", axes});
  }
  return call.emit(op, std::move(inputs), std::move(attributes));
}

// x, type; or x, axes, keep, type
void mean(TorchCall& call) {
  const bool with_axes = call.count() >= 3;
  call.give(reduce(call, call.op().onnx, with_axes ? reduced_axes(call, 1) : reduced_axes(call, call.count()),
                   with_axes && call.flag(2)));
}

// x, order, axes, keep
void norm(TorchCall& call) {
  if (call.count() < 3) return call.give(reduce(call, "ReduceL2", reduced_axes(call, call.count()), false));
  call.give(reduce(call, "ReduceL2", reduced_axes(call, 2), call.flag(3)));
}

// Of x, of two values, or along an axis with the places.
void extreme(TorchCall& call) {
  const bool max = call.op().name == "max" || call.op().name == "amax";
  if (call.op().name.starts_with("am")) {
    return call.give(reduce(call, call.op().onnx, reduced_axes(call, 1), call.flag(2)));
  }
  if (!call[0].is_tensor() && call.count() == 2) return call.give(arithmetic(call));
  if (call.count() == 1) return call.give(reduce(call, call.op().onnx, reduced_axes(call, 1), false));
  if (call[1].is_tensor()) {
    return call.give(call.emit(max ? "Max" : "Min", {call.tensor(0), call.tensor(1)}));
  }
  const std::int64_t axis = call.axis(1, call.shape(0).size());
  call.give(reduce(call, call.op().onnx, {axis}, call.flag(2)));
  call.give(call.emit(max ? "ArgMax" : "ArgMin", {call.tensor(0)},
                      {{"axis", axis}, {"keepdims", std::int64_t{call.flag(2)}}}));
}

// x, axis, keep
void place(TorchCall& call) {
  if (call[1].is_none()) throw ShapeUnknown{};
  call.give(
      call.emit(call.op().onnx, {call.tensor(0)},
                {{"axis", call.axis(1, call.shape(0).size())}, {"keepdims", std::int64_t{call.flag(2)}}}));
}

// x, axes, unbiased, keep; written out as PyTorch's exporter does.
void spread(TorchCall& call) {
  const bool with_axes = call.count() >= 4;
  const Ints axes = reduced_axes(call, with_axes ? 1 : call.count());
  const ValueId centre = reduce(call, "ReduceMean", axes, true);
  const ValueId difference = call.emit("Sub", {call.tensor(0), centre});
  const ValueId square = call.emit("Mul", {difference, difference});
  const ValueId variance = call.emit("ReduceMean", {square},
                                     {{"keepdims", std::int64_t{with_axes && call.flag(3)}}, {"axes", axes}});
  call.give(call.op().name == "std" ? call.emit("Sqrt", {variance}) : variance);
}

void running(TorchCall& call) {
  const std::int64_t axis = call.axis(1, call.shape(0).size());
  call.give(call.emit(call.op().onnx, {call.tensor(0), call.converter().int_scalar(axis)}));
}

// x, k, axis, largest, sorted -> values, places
void top(TorchCall& call) {
  const std::int64_t axis = call.axis(2, call.shape(0).size());
  call.emit("TopK", {call.tensor(0), call.converter().ints({call.integer(1)})}, {{"axis", axis}}, 2);
  const ValueId places = call.converter().last_output(1);
  call.give(call.converter().last_output(0));
  call.give(places);
}

}  // namespace

std::span<const TorchOperator> torch_reductions() {
  static constexpr TorchOperator kOperators[] = {
      {"mean", mean, "ReduceMean"},
      {"sum", mean, "ReduceSum"},
      {"prod", mean, "ReduceProd"},
      {"logsumexp", mean, "ReduceLogSumExp"},
      {"norm", norm},
      {"linalg_vector_norm", norm},
      {"max", extreme, "ReduceMax"},
      {"min", extreme, "ReduceMin"},
      {"amax", extreme, "ReduceMax"},
      {"amin", extreme, "ReduceMin"},
      {"argmax", place, "ArgMax"},
      {"argmin", place, "ArgMin"},
      {"var", spread},
      {"std", spread},
      {"cumsum", running, "CumSum"},
      {"cumprod", running, "CumProd"},
      {"topk", top},
  };
  return kOperators;
}

}  // namespace layersim
