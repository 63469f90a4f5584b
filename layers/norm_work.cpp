// A normalization divides its input into `rows` sets of `cols` elements, each with statistics of its own: a
// batch norm has a row for each channel, a layer norm for each token. It reads and writes rows x cols
// elements; no MACs. Backward it reads the kept input and the gradient.

#include <array>

#include "layers/norm.h"
#include "layers/work.h"

namespace layersim {
namespace {

enum NormSize : std::size_t { kFunction, kRows, kCols, kChannels, kScale, kBias, kResidual };

// Operations per element, in the order of NormFunction: mean 1, variance 3, normalize 2, scale and shift 2;
// no mean for a root mean square; a local response sums about 5 squares and takes a power.
constexpr std::array kFlop{8.0, 8.0, 8.0, 8.0, 5.0, 3.0, 6.0, 9.0};

}  // namespace

std::vector<Parameter> norm_parameters() {
  return {{"function",
           "choice",
           0,
           7,
           Draw::choice,
           {"batch", "instance", "layer", "group", "rms", "lp", "mean_variance", "local_response"}},
          {"rows", "row", 1, 1048576, Draw::log_uniform},
          {"cols", "element", 1, 1048576, Draw::log_uniform},
          {"channels", "element", 0, 16384, Draw::log_uniform},
          {"scale", "flag", 0, 1, Draw::uniform},
          {"bias", "flag", 0, 1, Draw::uniform},
          {"residual", "flag", 0, 1, Draw::uniform}};
}

LayerWork norm_work(const Problem& problem) {
  const double elements = at(problem, kRows) * at(problem, kCols);
  const double flop = kFlop.at(static_cast<std::size_t>(problem.sizes[kFunction])) * elements;
  const double residual = at(problem, kResidual) != 0 ? elements : 0;
  const double learned = at(problem, kChannels) * (at(problem, kScale) + at(problem, kBias));
  const bool batch = problem.sizes[kFunction] == static_cast<std::int64_t>(NormFunction::batch);
  const double statistics = batch ? 2 * at(problem, kChannels) : 0;
  LayerWork work = element_work(problem, {.flop_forward = flop + residual,
                                          .flop_backward = 2 * flop,
                                          .read_forward = elements + residual,
                                          .written_forward = elements,
                                          .read_backward = 2 * elements,
                                          .written_backward = elements});
  work.weight_elements = learned + statistics;
  work.forward.bytes_read += work.weight_elements * bytes(problem.weight_dtype);
  work.backward_data.bytes_read += learned * bytes(problem.weight_dtype);
  if (learned > 0) {
    // Sums over the gradient and over its product with the normalized input, in the pass that backward_data
    // makes anyway.
    work.backward_weight.flop = 3 * elements;
    work.backward_weight.bytes_written = learned * bytes(problem.weight_dtype);
  }
  work.keeps_input = true;
  work.kept_elements = 2 * at(problem, kRows);  // mean and deviation
  return work;
}

}  // namespace layersim
