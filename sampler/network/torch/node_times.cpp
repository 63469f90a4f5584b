#include "sampler/network/torch/node_times.h"

#include <ATen/Functions.h>
#include <torch/autograd.h>

#include <algorithm>

#include "sampler/network/torch/device_clock.h"

namespace layersim {
namespace {

// A node's part of the autograd graph: inputs that other nodes made are cut off from them.
struct Segment {
  Tensors inputs;
  Tensors results;
};

class NodeClock {
 public:
  explicit NodeClock(const GraphProgram& program)
      : program_(program),
        values_(program.start()),
        gradients_(values_.size()),
        times_(program.steps().size()),
        clock_(program.device()) {}

  void forward(bool keep_for_backward) {
    for (std::size_t i = 0; i < program_.steps().size(); ++i) {
      const ProgramStep& step = program_.steps()[i];
      Segment segment{.inputs = GraphProgram::inputs_of(step, values_), .results = {}};
      for (at::Tensor& input : segment.inputs) cut_off(input);
      clock_.lap_ms();
      segment.results = program_.call(step, segment.inputs);
      times_[i].forward_ms = clock_.lap_ms();
      GraphProgram::finish(step, segment.results, values_);
      if (keep_for_backward) segments_.push_back(std::move(segment));
    }
  }

  void backward() {
    for (const ValueId output : program_.graph().outputs) {
      const at::Tensor& value = values_[static_cast<std::size_t>(output)];
      if (!value.defined() || !value.requires_grad()) continue;
      add_gradient(output, at::full_like(value, 1.0 / static_cast<double>(value.numel())));
    }
    for (std::size_t i = times_.size(); i-- > 0;) {
      clock_.lap_ms();
      backward_of(program_.steps()[i], segments_[i]);
      times_[i].backward_ms = clock_.lap_ms();
      segments_[i] = {};
    }
  }

  void update(WeightUpdate& update) {
    for (std::size_t i = 0; i < times_.size(); ++i) {
      clock_.lap_ms();
      update.update(i);
      times_[i].optimizer_ms = clock_.lap_ms();
    }
  }

  [[nodiscard]] std::vector<NodeTime> take_times() { return std::move(times_); }

 private:
  static void cut_off(at::Tensor& tensor) {
    if (tensor.defined() && tensor.requires_grad() && !tensor.is_leaf()) {
      tensor = tensor.detach().requires_grad_(true);
    }
  }

  void add_gradient(ValueId id, const at::Tensor& gradient) {
    at::Tensor& sum = gradients_[static_cast<std::size_t>(id)];
    sum = sum.defined() ? at::add(sum, gradient) : gradient;
  }

  void backward_of(const ProgramStep& step, const Segment& segment) {
    Tensors results;
    Tensors result_gradients;
    for (std::size_t i = 0; i < std::min(segment.results.size(), step.node->outputs.size()); ++i) {
      const ValueId id = step.node->outputs[i];
      if (id == kNoValue || !segment.results[i].requires_grad()) continue;
      at::Tensor& gradient = gradients_[static_cast<std::size_t>(id)];
      if (!gradient.defined()) continue;
      results.push_back(segment.results[i]);
      result_gradients.push_back(std::move(gradient));
    }
    if (results.empty()) return;
    torch::autograd::backward(results, result_gradients);
    for (std::size_t i = 0; i < segment.inputs.size(); ++i) {
      const ValueId id = step.node->inputs[i];
      const at::Tensor& input = segment.inputs[i];
      if (id == kNoValue || program_.graph().value(id).origin != Origin::computed) continue;
      if (input.grad().defined()) add_gradient(id, input.grad());
    }
  }

  const GraphProgram& program_;
  std::vector<at::Tensor> values_;  // by ValueId, as the next
  std::vector<at::Tensor> gradients_;
  std::vector<Segment> segments_;
  std::vector<NodeTime> times_;
  DeviceClock clock_;
};

}  // namespace

std::vector<NodeTime> time_forward(const GraphProgram& program) {
  const at::NoGradGuard no_gradients;
  NodeClock clock(program);
  clock.forward(false);
  return clock.take_times();
}

std::vector<NodeTime> time_training(const GraphProgram& program, WeightUpdate& update) {
  NodeClock clock(program);
  clock.forward(true);
  clock.backward();
  clock.update(update);
  return clock.take_times();
}

}  // namespace layersim
