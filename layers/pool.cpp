// Pooling over windows of up to three spatial axes. With N images, C channels, input size I, output size O
// and kernel size K: N x C x I elements in, N x C x O out, one operation for each tap (N x C x O x K); no
// MACs. A maximum also writes, in training, the index of each output's origin, and its gradient goes there
// alone.

#include <array>
#include <string>
#include <string_view>

#include "layers/kinds.h"
#include "layers/lowering.h"
#include "layers/window.h"
#include "layers/work.h"
#include "sim/core/error.h"

namespace layersim {
namespace {

// The first parameters; those of the window follow.
enum PoolSize : std::size_t { kBatch, kChannels, kFunction, kWindow };
enum PoolFunction : std::int64_t { kMax, kAverage, kLp };

bool is_global(const Node& node) { return node.op.find("Global") != std::string::npos; }

bool channels_last(const ShapeContext& context) {
  return context.node().op == "NhwcMaxPool" || context.int_or("channels_last", 0) != 0;
}

PoolFunction function_of(const Node& node) {
  if (node.op.find("Max") != std::string::npos) return kMax;
  return node.op.find("Lp") != std::string::npos ? kLp : kAverage;
}

// Spatial sizes of the input.
Shape spatial(const ShapeContext& context) {
  const Shape& input = context.shape(0, 3);
  return channels_last(context) ? Shape(input.begin() + 1, input.end() - 1)
                                : Shape(input.begin() + 2, input.end());
}

Window window_of_node(const ShapeContext& context) {
  const Shape in = spatial(context);
  if (is_global(context.node())) {
    if (in.size() > 3) throw bad_input("more than three spatial axes");
    Window window;
    for (const std::int64_t size : in) window.push_back({.in = size, .kernel = size});
    return window;
  }
  const std::vector<std::int64_t> kernel = context.ints_or("kernel_shape", {});
  if (kernel.empty()) throw bad_input("attribute 'kernel_shape' is missing");
  return read_window(context, in, kernel, WindowKind::pool);
}

void infer_pool(ShapeContext& context) {
  const Shape& input = context.shape(0, 3);
  const Window window = window_of_node(context);
  const bool last = channels_last(context);
  Shape output{input[0]};
  if (!last) output.push_back(input[1]);
  for (const WindowAxis& axis : window) output.push_back(axis.out);
  if (last) output.push_back(input.back());
  context.set_output(1, DType::i64, output);
  context.set_output(0, context.dtype(0), std::move(output));
}

void lower_pool(LoweringContext& context) {
  const Shape& input = context.full_shape(0, 3);
  Problem problem = make_problem(pool_kind(), context.dtype(0),
                                 {{"batch", input[0]},
                                  {"channels", channels_last(context) ? input.back() : input[1]},
                                  {"function", function_of(context.node())}});
  problem.sizes.resize(kWindow);
  append_window(problem.sizes, window_of_node(context));
  context.add(std::move(problem));
}

LayerWork pool_work(const Problem& problem) {
  const double planes = at(problem, kBatch) * at(problem, kChannels);
  const double in = planes * window_product(problem, kWindow, WindowSize::in);
  const double out = planes * window_product(problem, kWindow, WindowSize::out);
  const double taps = out * window_product(problem, kWindow, WindowSize::kernel);
  const bool max = problem.sizes[kFunction] == kMax;
  LayerWork work = element_work(problem, {.flop_forward = taps,
                                          .flop_backward = max ? out : taps,
                                          .read_forward = in,
                                          .written_forward = out,
                                          .read_backward = max ? 2 * out : out,
                                          .written_backward = in});
  work.keeps_input = problem.sizes[kFunction] != kAverage;
  // Indices of the maxima, 64 bits each.
  work.kept_elements = max ? out * 8 / bytes(problem.dtype) : 0;
  return work;
}

void derive_pool(Problem& problem) { derive_window(problem, kWindow, WindowKind::pool); }

std::vector<Parameter> pool_parameters() {
  std::vector<Parameter> parameters{{"batch", "image", 1, 256, Draw::log_uniform},
                                    {"channels", "channel", 1, 4096, Draw::log_uniform},
                                    {"function", "choice", 0, 2, Draw::choice, {"max", "average", "lp"}}};
  append_window_parameters(parameters, {.in_high = 512, .kernel_high = 14, .stride_high = 4, .pad_high = 3});
  return parameters;
}

}  // namespace

const LayerKind& pool_kind() {
  constexpr std::string_view kMs = "com.microsoft";
  constexpr std::string_view kBlocked = "com.microsoft.nchwc";  // blocks of channels innermost
  static const LayerKind kKind{.name = "pool",
                               .summary = "maximum, average and Lp pooling, global pooling included",
                               .parameters = pool_parameters(),
                               .operators = {{"MaxPool", infer_pool, lower_pool},
                                             {"AveragePool", infer_pool, lower_pool},
                                             {"LpPool", infer_pool, lower_pool},
                                             {"GlobalMaxPool", infer_pool, lower_pool},
                                             {"GlobalAveragePool", infer_pool, lower_pool},
                                             {"GlobalLpPool", infer_pool, lower_pool},
                                             {"NhwcMaxPool", infer_pool, lower_pool, kMs},
                                             {"QLinearAveragePool", infer_pool, lower_pool, kMs},
                                             {"QLinearGlobalAveragePool", infer_pool, lower_pool, kMs},
                                             {"MaxPool", infer_pool, lower_pool, kBlocked},
                                             {"AveragePool", infer_pool, lower_pool, kBlocked},
                                             {"GlobalMaxPool", infer_pool, lower_pool, kBlocked},
                                             {"GlobalAveragePool", infer_pool, lower_pool, kBlocked}},
                               .work = pool_work,
                               .derive = derive_pool};
  return kKind;
}

}  // namespace layersim
