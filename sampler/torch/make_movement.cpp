// What only moves elements: concatenation, transposition, slices, fills; and interpolation.

#include "sampler/torch/torch_layer.h"

namespace layersim::torch_sampler {
namespace {

constexpr std::int64_t kMostRows = 64;

// [rows, cols] with so many elements.
std::vector<std::int64_t> matrix_of(std::int64_t elements) {
  const std::int64_t rows = power_of_two_in(elements, kMostRows);
  return {rows, elements / rows};
}

}  // namespace

TorchLayer make_concat(const SampleProblem& sample, const TensorMaker& tensors) {
  const Sizes sizes(sample.problem);
  const std::int64_t operands = sizes["operands"];
  if (sizes["elements"] % operands != 0) throw CannotMeasure("rows do not tell the shapes of these operands");
  std::vector<at::Tensor> parts;
  for (std::int64_t i = 0; i < operands; ++i) {
    parts.push_back(tensors.input(matrix_of(sizes["elements"] / operands)));
  }
  return {parts, {}, [=] { return at::cat(parts, 1); }};
}

TorchLayer make_data_movement(const SampleProblem& sample, const TensorMaker& tensors) {
  const Sizes sizes(sample.problem);
  const std::string_view function = sizes.choice("function");
  const std::int64_t read = sizes["elements_read"];
  const std::int64_t written = sizes["elements_written"];
  if (function == "fill") {
    const at::TensorOptions options = tensors.options();
    return {{}, {}, [=] { return at::zeros({written}, options); }};
  }
  if (read != written) throw CannotMeasure("rows do not tell the shapes of this movement");
  const auto shape = matrix_of(written);
  if (function == "transpose") {
    const at::Tensor x = tensors.input(shape);
    return {{x}, {}, [=] { return x.t().contiguous(); }};
  }
  if (function != "slice") throw CannotMeasure("rows do not tell the shapes of this movement");
  const at::Tensor x = tensors.input({shape[0], 2 * shape[1]});
  return {{x}, {}, [=] { return x.narrow(1, shape[1] / 2, shape[1]).contiguous(); }};
}

// Images of 8 x 8 that become 16 x 16.
TorchLayer make_resize(const SampleProblem& sample, const TensorMaker& tensors) {
  constexpr std::int64_t kSide = 8;
  const Sizes sizes(sample.problem);
  const std::int64_t in = sizes["in_elements"];
  const std::int64_t taps = sizes["taps"];
  const bool known = in % (kSide * kSide) == 0 && sizes["out_elements"] == 4 * in && (taps == 1 || taps == 4);
  if (!known) throw CannotMeasure("rows do not tell the shapes of this interpolation");
  const at::Tensor x = tensors.input({1, in / (kSide * kSide), kSide, kSide});
  const std::vector<std::int64_t> out{2 * kSide, 2 * kSide};
  if (taps == 1) return {{x}, {}, [=] { return at::upsample_nearest2d(x, out); }};
  return {{x}, {}, [=] { return at::upsample_bilinear2d(x, out, false); }};
}

}  // namespace layersim::torch_sampler
