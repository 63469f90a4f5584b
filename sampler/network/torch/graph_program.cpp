#include "sampler/network/torch/graph_program.h"

#include <ATen/Functions.h>
#include <torch/cuda.h>

#include <algorithm>

#include "sampler/network/torch/random_inputs.h"
#include "sampler/network/torch/torch_error.h"
#include "sim/core/error.h"

namespace layersim {
namespace {

at::Device parse_device(const std::string& text) {
  try {
    const at::Device device(text);
    const auto index = static_cast<std::size_t>(std::max<int>(device.index(), 0));
    if (device.is_cpu()) return device;
    if (device.is_cuda() && index < torch::cuda::device_count()) return device;
  } catch (const c10::Error&) {
    throw bad_use("--device: '" + text + "' is no device of libtorch: cpu, cuda:0 ...");
  }
  throw bad_use("--device: libtorch has no device '" + text + "' here");
}

}  // namespace

GraphProgram::GraphProgram(const Graph& graph, const std::string& device, bool training, std::uint64_t seed)
    : graph_(graph), stored_(graph, parse_device(device), training, seed), initial_(graph.values.size()) {
  const Tensors inputs = random_inputs(graph, stored_.generator());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    initial_[static_cast<std::size_t>(graph.inputs[i])] = inputs[i].to(stored_.device());
  }
  for (const Node& node : graph.nodes) {
    with_context(graph.describe(node), [&] { add_step(node, training); });
  }
  for (const ValueId output : graph.outputs) {
    const Origin origin = graph.value(output).origin;
    if (origin != Origin::computed && !initial_[static_cast<std::size_t>(output)].defined()) {
      initial_[static_cast<std::size_t>(output)] = stored_.get(output);
    }
  }
  find_last_reads();
}

void GraphProgram::add_step(const Node& node, bool training) {
  ProgramStep step{.node = &node,
                   .call = prepare_node(NodeView(graph_, node, stored_, training)),
                   .last_read = {},
                   .weights = {}};
  const bool makes_weights = find_node_operator(node)->makes_weights;
  for (const ValueId input : node.inputs) {
    if (input == kNoValue) continue;
    const Origin origin = graph_.value(input).origin;
    if (origin == Origin::input || origin == Origin::computed) continue;
    // What it has split into weights of its own: two axes at least.
    if (makes_weights && origin == Origin::weight) continue;
    initial_[static_cast<std::size_t>(input)] = stored_.get(input);
  }
  step.weights = stored_.take_new_weights();
  steps_.push_back(std::move(step));
}

void GraphProgram::find_last_reads() {
  std::vector<bool> read_later(graph_.values.size(), false);
  for (const ValueId output : graph_.outputs) read_later[static_cast<std::size_t>(output)] = true;
  const auto note = [&](ProgramStep& step, ValueId value) {
    if (value == kNoValue || read_later[static_cast<std::size_t>(value)]) return;
    read_later[static_cast<std::size_t>(value)] = true;
    if (graph_.value(value).origin == Origin::computed) step.last_read.push_back(value);
  };
  std::for_each(steps_.rbegin(), steps_.rend(), [&](ProgramStep& step) {
    for (const ValueId output : step.node->outputs) note(step, output);
    for (const ValueId input : step.node->inputs) note(step, input);
  });
}

Tensors GraphProgram::call(const ProgramStep& step, const Tensors& inputs) const {
  return with_context(graph_.describe(*step.node),
                      [&] { return with_torch_errors([&] { return step.call(inputs); }); });
}

void GraphProgram::finish(const ProgramStep& step, Tensors results, std::vector<at::Tensor>& values) {
  const std::vector<ValueId>& outputs = step.node->outputs;
  for (std::size_t i = 0; i < std::min(outputs.size(), results.size()); ++i) {
    if (outputs[i] != kNoValue) values[static_cast<std::size_t>(outputs[i])] = std::move(results[i]);
  }
  for (const ValueId value : step.last_read) values[static_cast<std::size_t>(value)].reset();
}

Tensors GraphProgram::inputs_of(const ProgramStep& step, const std::vector<at::Tensor>& values) {
  Tensors inputs;
  inputs.reserve(step.node->inputs.size());
  for (const ValueId input : step.node->inputs) {
    inputs.push_back(input == kNoValue ? at::Tensor() : values[static_cast<std::size_t>(input)]);
  }
  return inputs;
}

Tensors GraphProgram::forward() const {
  std::vector<at::Tensor> values = start();
  for (const ProgramStep& step : steps_) finish(step, call(step, inputs_of(step, values)), values);
  Tensors outputs;
  for (const ValueId output : graph_.outputs) outputs.push_back(values[static_cast<std::size_t>(output)]);
  return outputs;
}

at::Tensor mean_loss(const Tensors& outputs) {
  at::Tensor loss;
  for (const at::Tensor& output : outputs) {
    if (!output.defined() || !output.requires_grad()) continue;
    const at::Tensor mean = at::mean(output);
    loss = loss.defined() ? at::add(loss, mean) : mean;
  }
  return loss;
}

}  // namespace layersim
