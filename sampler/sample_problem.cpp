#include "sampler/sample_problem.h"

#include <array>

#include "sim/core/dtype.h"

namespace layersim {
namespace {

constexpr double kBytesPerMib = 1 << 20;

std::string value_text(const Parameter& parameter, std::int64_t size) {
  const auto index = static_cast<std::size_t>(size);
  if (index < parameter.choices.size()) return std::string(parameter.choices[index]);
  return std::to_string(size);
}

// A window that is padded on one side more than on the other; the rows have one number for both.
bool is_padded_unevenly(const Problem& problem) {
  const std::vector<Parameter>& parameters = problem.kind->parameters;
  for (const auto& [begin, end] :
       {std::array{"pad_begin_h", "pad_end_h"}, std::array{"pad_begin_w", "pad_end_w"}}) {
    for (const Parameter& parameter : parameters) {
      if (parameter.name == begin && problem.size(begin) != problem.size(end)) return true;
    }
  }
  return false;
}

}  // namespace

std::string to_text(const SampleProblem& sample) {
  const Problem& problem = sample.problem;
  std::string text(problem.kind->name);
  for (std::size_t i = 0; i < problem.sizes.size(); ++i) {
    const Parameter& parameter = problem.kind->parameters[i];
    const bool unvaried = parameter.draw == Draw::fixed && problem.sizes[i] == parameter.low;
    if (unvaried || parameter.draw == Draw::derived) continue;
    text.append(" ").append(parameter.name).append("=").append(value_text(parameter, problem.sizes[i]));
  }
  text.append(" activation=").append(name(problem.activation));
  text.append(" mode=").append(name(sample.mode));
  if (sample.mode == Mode::training) text.append(" optimizer=").append(name(sample.optimizer));
  if (!sample.input_gradient) text.append(" input_gradient=0");
  return text.append(" precision=").append(name(sample.precision));
}

double memory_mib(const SampleProblem& sample) {
  const LayerWork work = sample.problem.kind->work(sample.problem);
  double in_bytes = work.forward.bytes() + work.kept_elements * bytes(sample.problem.dtype);
  if (sample.mode == Mode::training) {
    // A gradient for each operand and for the result, those of weights and the optimizer's states in fp32.
    in_bytes *= 2;
    in_bytes += work.weight_elements * cost(sample.optimizer).states * bytes(stored_dtype(sample.precision));
  }
  return in_bytes / kBytesPerMib;
}

double step_gflop(const SampleProblem& sample) {
  const LayerWork work = sample.problem.kind->work(sample.problem);
  double flop = work.forward.flop;
  if (sample.mode == Mode::training) flop += work.backward_data.flop + work.backward_weight.flop;
  return flop / 1e9;
}

std::string reason_not_to_measure(const SampleProblem& sample) {
  const LayerWork work = sample.problem.kind->work(sample.problem);
  if (is_padded_unevenly(sample.problem)) return "is padded on one side more than on the other";
  const double input_gradient_bytes = sample.input_gradient ? work.backward_data.bytes() : 0;
  const bool has_gradient = input_gradient_bytes + work.backward_weight.bytes() > 0;
  if (sample.mode == Mode::training && !has_gradient) return "has no backward pass";
  if (sample.mode == Mode::forward && work.forward.bytes() == 0)
    return "does nothing in a forward pass alone";
  return {};
}

}  // namespace layersim
