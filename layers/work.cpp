#include "layers/work.h"

namespace layersim {

LayerWork weighted_product_work(const Problem& problem, const WeightedProduct& product) {
  const double element = bytes(problem.dtype);
  const double weight_element = bytes(problem.weight_dtype);
  const double activation_flop = flop_per_element(problem.activation) * product.output_elements;
  const bool activated = problem.activation != Activation::none;
  const double weight_bytes = (product.weight_elements + product.bias_elements) * weight_element;
  const double bias_flop = product.bias_elements > 0 ? product.output_elements : 0;

  LayerWork work;
  work.weight_elements = product.weight_elements + product.bias_elements;
  work.keeps_input = true;
  work.keeps_output = activated;

  work.forward.macs = product.macs;
  work.forward.flop = 2 * product.macs + bias_flop + activation_flop;
  work.forward.bytes_read = product.input_elements * element + weight_bytes;
  work.forward.bytes_written = product.output_elements * element;
  work.forward.kernels = activated ? 2 : 1;

  work.backward_data.macs = product.macs;
  work.backward_data.flop = 2 * product.macs;
  work.backward_data.bytes_read =
      product.output_elements * element + product.weight_elements * weight_element;
  work.backward_data.bytes_written = product.input_elements * element;
  work.backward_data.kernels = 1;

  // The activation's gradient reads the kept output beside the incoming gradient and stays in place. It
  // stands here since a first layer needs it too, which has no backward_data.
  work.backward_weight.macs = product.macs;
  work.backward_weight.flop = 2 * product.macs + bias_flop + activation_flop;
  work.backward_weight.bytes_read =
      (product.input_elements + product.output_elements * (activated ? 2 : 1)) * element;
  work.backward_weight.bytes_written = weight_bytes;
  work.backward_weight.kernels = 1 + (product.bias_elements > 0 ? 1 : 0) + (activated ? 1 : 0);
  return work;
}

LayerWork element_work(const Problem& problem, const ElementWork& work) {
  const double element = bytes(problem.dtype);
  LayerWork result;
  result.forward.flop = work.flop_forward;
  result.forward.bytes_read = work.read_forward * element;
  result.forward.bytes_written = work.written_forward * element;
  result.forward.kernels = 1;
  result.backward_data.flop = work.flop_backward;
  result.backward_data.bytes_read = work.read_backward * element;
  result.backward_data.bytes_written = work.written_backward * element;
  result.backward_data.kernels = work.read_backward + work.written_backward > 0 ? 1 : 0;
  return result;
}

}  // namespace layersim
