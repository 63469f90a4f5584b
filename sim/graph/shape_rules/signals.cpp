// Operators of signal processing, and those of images and detections that no layer kind covers.

#include <algorithm>
#include <span>

#include "sim/core/checked.h"
#include "sim/core/error.h"
#include "sim/graph/onnx_dtype.h"
#include "sim/graph/shape_rules/contents.h"

namespace layersim {
namespace {

void like_first_input(ShapeContext& context) { context.set_output(0, context.dtype(0), context.shape(0)); }

// [..., signal, ..., 1 or 2] -> the same with 2, and with half the frequencies when one-sided
void fourier_transform(ShapeContext& context) {
  Shape shape = context.shape(0, 2);
  // The axis is an attribute up to operator set 19, an input after.
  const auto from_input = single_int(context, 2);
  if (context.has_input(2) && !from_input) throw ShapeUnknown{};
  const std::int64_t fallback = context.node().opset < 20 ? 1 : -2;
  const std::size_t axis =
      normalize_axis(from_input.value_or(context.int_or("axis", fallback)), shape.size());
  if (context.has_input(1)) shape[axis] = single_int(context, 1).value_or(kUnknownDim);
  if (shape[axis] < kUnknownDim) throw bad_input("a signal of length " + std::to_string(shape[axis]));
  if (context.int_or("onesided", 0) != 0 && shape[axis] >= 0) shape[axis] = shape[axis] / 2 + 1;
  shape.back() = context.int_or("inverse", 0) != 0 && context.int_or("onesided", 0) != 0 ? 1 : 2;
  context.set_output(0, context.dtype(0), std::move(shape));
}

// signal [batch, length, 1 or 2], step, window, frame length -> [batch, frames, frequencies, 2]
void short_time_fourier_transform(ShapeContext& context) {
  const Shape& signal = context.shape(0, 2, 3);
  const auto step = single_int(context, 1);
  std::optional<std::int64_t> frame = single_int(context, 3);
  if (!frame && context.has_input(2) && context.shape(2).size() == 1 && context.shape(2)[0] >= 0)
    frame = context.shape(2)[0];
  if ((step && *step < 1) || (frame && *frame < 1))
    throw bad_input("step and frame length should be positive");
  std::int64_t frames = kUnknownDim;
  if (step && frame && signal[1] >= 0)
    frames = std::max<std::int64_t>(signal[1] - *frame, -*step) / *step + 1;
  std::int64_t frequencies = kUnknownDim;
  if (frame) frequencies = context.int_or("onesided", 1) != 0 ? *frame / 2 + 1 : *frame;
  context.set_output(0, context.dtype(0), {signal[0], frames, frequencies, 2});
}

void window(ShapeContext& context) {
  const std::int64_t number = context.int_or("output_datatype", 1);
  context.set_output(0, dtype_from_onnx(number), sizes_from({single_int(context, 0).value_or(kUnknownInt)}));
}

void mel_weight_matrix(ShapeContext& context) {
  const auto bins = single_int(context, 0);
  const auto length = single_int(context, 1);
  if (length && *length < 0) throw bad_input("a transform of length " + std::to_string(*length));
  context.set_output(0, dtype_from_onnx(context.int_or("output_datatype", 1)),
                     sizes_from({length ? *length / 2 + 1 : kUnknownInt, bins.value_or(kUnknownInt)}));
}

void non_max_suppression(ShapeContext& context) { context.set_output(0, DType::i64, {kUnknownDim, 3}); }

// theta [N, 2, 3] and size [N, C, H, W] -> grid [N, H, W, 2]; one axis more in three dimensions
void affine_grid(ShapeContext& context) {
  const Ints* list = context.ints(1);
  const Shape size = list != nullptr ? sizes_from(*list) : unknown_shape_of_length(context, 1);
  if (size.size() < 3) throw bad_input("a size of " + std::to_string(size.size()) + " axes");
  Shape grid{size[0]};
  grid.insert(grid.end(), size.begin() + 2, size.end());
  grid.push_back(static_cast<std::int64_t>(size.size()) - 2);
  context.set_output(0, context.dtype(0), std::move(grid));
}

void max_unpool(ShapeContext& context) {
  if (context.has_input(2)) {
    const Ints* list = context.ints(2);
    return context.set_output(0, context.dtype(0),
                              list != nullptr ? sizes_from(*list) : unknown_shape_of_length(context, 2));
  }
  Shape shape = context.shape(0);
  const Ints kernel = context.ints_or("kernel_shape", {});
  const Ints strides = context.ints_or("strides", Ints(kernel.size(), 1));
  const Ints pads = context.ints_or("pads", Ints(2 * kernel.size(), 0));
  if (shape.size() != kernel.size() + 2 || strides.size() != kernel.size() ||
      pads.size() != 2 * kernel.size()) {
    throw bad_input("kernel, strides and pads do not fit a tensor of rank " + std::to_string(shape.size()));
  }
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    std::int64_t& size = shape[i + 2];
    if (size < 0) continue;
    const std::int64_t padding = checked_add(pads[i], pads[i + kernel.size()]);
    if (kernel[i] < 1 || strides[i] < 1 || padding < 0)
      throw bad_input("kernel and strides should be positive");
    size =
        std::max<std::int64_t>(checked_add(checked_multiply(size - 1, strides[i]), kernel[i]) - padding, 0);
  }
  context.set_output(0, context.dtype(0), std::move(shape));
}

// x [N, C x block, L], image shape, block shape -> [N, C, image ...]
void column_to_image(ShapeContext& context) {
  const Shape& input = context.shape(0, 3, 3);
  const Ints* image = context.ints(1);
  const Ints* block = context.ints(2);
  Shape shape{input[0], kUnknownDim};
  if (block != nullptr && input[1] >= 0) {
    const Shape sizes = sizes_from(*block);
    if (is_known(sizes)) {
      const std::int64_t area = element_count(sizes);
      if (area == 0 || input[1] % area != 0) {
        throw bad_input(std::to_string(input[1]) + " channels are no multiple of the block " +
                        to_string(sizes));
      }
      shape[1] = input[1] / area;
    }
  }
  const Shape spatial = image != nullptr ? sizes_from(*image) : unknown_shape_of_length(context, 1);
  shape.insert(shape.end(), spatial.begin(), spatial.end());
  context.set_output(0, context.dtype(0), std::move(shape));
}

void center_crop_pad(ShapeContext& context) {
  Shape shape = context.shape(0);
  const Ints* list = context.ints(1);
  const Shape sizes = list != nullptr ? sizes_from(*list) : unknown_shape_of_length(context, 1);
  Ints axes = context.ints_or("axes", {});
  for (std::size_t axis = 0; context.node().attribute("axes") == nullptr && axis < shape.size(); ++axis) {
    axes.push_back(static_cast<std::int64_t>(axis));
  }
  if (axes.size() != sizes.size()) throw bad_input("axes and sizes differ in number");
  for (std::size_t i = 0; i < axes.size(); ++i) shape[normalize_axis(axes[i], shape.size())] = sizes[i];
  context.set_output(0, context.dtype(0), std::move(shape));
}

void determinant(ShapeContext& context) {
  const Shape& shape = context.shape(0, 2);
  context.set_output(0, context.dtype(0), Shape(shape.begin(), shape.end() - 2));
}

}  // namespace

std::span<const ShapeRule> signals_rules() {
  static constexpr ShapeRule kRules[] = {
      {"DFT", fourier_transform},
      {"STFT", short_time_fourier_transform},
      {"HannWindow", window},
      {"HammingWindow", window},
      {"BlackmanWindow", window},
      {"MelWeightMatrix", mel_weight_matrix},
      {"NonMaxSuppression", non_max_suppression},
      {"ReverseSequence", like_first_input},
      {"AffineGrid", affine_grid},
      {"MaxUnpool", max_unpool},
      {"Col2Im", column_to_image},
      {"CenterCropPad", center_crop_pad},
      {"Det", determinant},
  };
  return kRules;
}

}  // namespace layersim
