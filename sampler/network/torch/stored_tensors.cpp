#include "sampler/network/torch/stored_tensors.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>

#include "sampler/network/torch/torch_dtype.h"
#include "sim/core/error.h"

namespace layersim {
namespace {

bool is_linear_operand(const Graph& graph, const Node& node) {
  if (!node.domain.empty() || node.input(1) == kNoValue) return false;
  const auto& shape = graph.value(node.input(1)).tensor.shape;
  if (!shape || shape->size() != 2) return false;
  return node.op == "MatMul" || (node.op == "Gemm" && node.int_attribute("transB").value_or(0) == 0);
}

at::Tensor known_contents(const Tensor& tensor) {
  const Constant& constant = *tensor.constant;
  if (!constant.reals.empty()) {
    return at::tensor(constant.reals, at::kDouble).reshape(*tensor.shape).to(torch_dtype(tensor.dtype));
  }
  return at::tensor(constant.ints, at::kLong).reshape(*tensor.shape).to(torch_dtype(tensor.dtype));
}

bool has_known_contents(const Tensor& tensor) {
  if (tensor.constant == nullptr) return false;
  const auto& ints = tensor.constant->ints;
  const auto known = static_cast<std::int64_t>(std::max(ints.size(), tensor.constant->reals.size()));
  return known == element_count(*tensor.shape) &&
         std::find(ints.begin(), ints.end(), kUnknownInt) == ints.end();
}

}  // namespace

StoredTensors::StoredTensors(const Graph& graph, at::Device device, bool training, std::uint64_t seed)
    : graph_(graph), device_(device), training_(training), generator_(at::detail::createCPUGenerator(seed)) {
  for (const Node& node : graph.nodes) {
    if (node.op == "BatchNormalization") {
      constexpr std::size_t kMean = 3;
      constexpr std::size_t kVariance = 4;
      statistics_.insert(node.input(kMean));
      statistics_.insert(node.input(kVariance));
    }
    if (is_linear_operand(graph, node)) linear_operands_.insert(node.input(1));
  }
}

bool StoredTensors::is_learned(ValueId id) const {
  const Value& value = graph_.value(id);
  return training_ && value.origin == Origin::weight && is_float(value.tensor.dtype) &&
         !statistics_.contains(id);
}

// Matrices and kernels as frameworks draw them, so that values keep their size from layer to layer; ones for
// what scales, shifts or is a variance.
at::Tensor StoredTensors::random(const Shape& shape, at::ScalarType dtype) {
  if (shape.size() < 2 || !at::isFloatingType(dtype)) {
    return at::isFloatingType(dtype) ? at::ones(shape, dtype) : at::zeros(shape, dtype);
  }
  const auto fan_in = static_cast<double>(std::max<std::int64_t>(element_count(shape, 1, shape.size()), 1));
  const double bound = 1 / std::sqrt(fan_in);
  return at::empty(shape, at::kFloat).uniform_(-bound, bound, generator_).to(dtype);
}

at::Tensor StoredTensors::contents(ValueId id) {
  const Value& value = graph_.value(id);
  if (!value.tensor.shape || !is_known(*value.tensor.shape)) {
    throw Error(ErrorKind::nothing_predicted,
                "the stored tensor '" + value.name + "' has no known shape and cannot be made");
  }
  const at::Tensor tensor = has_known_contents(value.tensor)
                                ? known_contents(value.tensor)
                                : random(*value.tensor.shape, torch_dtype(value.tensor.dtype));
  return tensor.to(device_);
}

at::Tensor StoredTensors::get(ValueId id) {
  const auto found = tensors_.find(id);
  if (found != tensors_.end()) return found->second;
  at::Tensor tensor = contents(id);
  if (linear_operands_.contains(id)) tensor = tensor.t().contiguous().t();
  return tensors_[id] = add_part(id, std::move(tensor));
}

at::Tensor StoredTensors::add_part(ValueId id, at::Tensor part) {
  if (!is_learned(id)) return part;
  part.requires_grad_(true);
  new_weights_.push_back(part);
  return part;
}

}  // namespace layersim
