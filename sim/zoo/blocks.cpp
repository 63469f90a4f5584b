#include "sim/zoo/blocks.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace layersim::zoo {
namespace {

using Ints = std::vector<std::int64_t>;

Attribute ints_attribute(std::string name, Ints values) { return {std::move(name), std::move(values)}; }
Attribute int_attribute(std::string name, std::int64_t value) { return {std::move(name), value}; }
Attribute real_attribute(std::string name, double value) { return {std::move(name), value}; }

Ints pair(const Extent& extent) { return {extent.height, extent.width}; }
Ints pads(const Extent& extent) { return {extent.height, extent.width, extent.height, extent.width}; }

std::vector<Attribute> conv_attributes(const ConvOptions& options) {
  const Extent half{options.kernel.height / 2, options.kernel.width / 2};
  return {int_attribute("group", options.groups), ints_attribute("kernel_shape", pair(options.kernel)),
          ints_attribute("pads", pads(options.padding.value_or(half))),
          ints_attribute("strides", pair(options.stride))};
}

std::vector<Attribute> pool_attributes(const PoolOptions& options) {
  return {int_attribute("ceil_mode", options.ceil ? 1 : 0),
          ints_attribute("kernel_shape", pair(options.kernel)), ints_attribute("pads", pads(options.padding)),
          ints_attribute("strides", pair(options.stride))};
}

}  // namespace

std::int64_t round_channels(double channels) {
  const std::int64_t rounded = std::max<std::int64_t>(8, static_cast<std::int64_t>(channels + 4) / 8 * 8);
  return static_cast<double>(rounded) < 0.9 * channels ? rounded + 8 : rounded;
}

Features Net::image(Extent size, std::int64_t channels) {
  DeclaredShape shape{{kUnknownDim, "N"}, {channels, ""}, {size.height, ""}, {size.width, ""}};
  return {builder_.input("input", DType::f32, std::move(shape)), channels};
}

ValueId Net::tokens(const std::string& name, std::int64_t length) {
  return builder_.input(name, DType::i64, {{kUnknownDim, "N"}, {length, ""}});
}

ValueId Net::weight(const std::string& name, Shape shape) {
  return builder_.weight(name, DType::f32, std::move(shape));
}

ValueId Net::ints(const std::string& name, Ints values) { return builder_.constant(name, std::move(values)); }

ValueId Net::scalar(const std::string& name, double value) {
  return builder_.constant(name, std::vector<double>{value}, Shape{});
}

ValueId Net::constant(const std::string& name, DType dtype, Shape shape) {
  return builder_.graph().add_value(
      {"/" + name, Origin::constant, {dtype, std::move(shape), nullptr}, {}, {}});
}

Features Net::node(std::string op, const std::string& name, std::vector<ValueId> inputs,
                   std::int64_t channels, std::vector<Attribute> attributes) {
  return {builder_.node(std::move(op), name, std::move(inputs), std::move(attributes)), channels};
}

Features Net::conv(const std::string& name, Features x, std::int64_t channels, const ConvOptions& options) {
  std::vector<ValueId> inputs{x.id, weight(name + ".weight", {channels, x.channels / options.groups,
                                                              options.kernel.height, options.kernel.width})};
  if (options.bias) inputs.push_back(weight(name + ".bias", {channels}));
  return node("Conv", name, std::move(inputs), channels, conv_attributes(options));
}

Features Net::conv_transpose(const std::string& name, Features x, std::int64_t channels,
                             const ConvOptions& options) {
  std::vector<ValueId> inputs{x.id, weight(name + ".weight", {x.channels, channels / options.groups,
                                                              options.kernel.height, options.kernel.width})};
  if (options.bias) inputs.push_back(weight(name + ".bias", {channels}));
  return node("ConvTranspose", name, std::move(inputs), channels, conv_attributes(options));
}

Features Net::batch_norm(const std::string& name, Features x) {
  std::vector<ValueId> inputs{x.id};
  for (const char* part : {".weight", ".bias", ".running_mean", ".running_var"}) {
    inputs.push_back(weight(name + part, {x.channels}));
  }
  return node("BatchNormalization", name, std::move(inputs), x.channels, {real_attribute("epsilon", 1e-5)});
}

Features Net::max_pool(const std::string& name, Features x, const PoolOptions& options) {
  return node("MaxPool", name, {x.id}, x.channels, pool_attributes(options));
}

Features Net::average_pool(const std::string& name, Features x, const PoolOptions& options) {
  return node("AveragePool", name, {x.id}, x.channels, pool_attributes(options));
}

Features Net::global_average_pool(const std::string& name, Features x) {
  return node("GlobalAveragePool", name, {x.id}, x.channels);
}

Features Net::flatten(const std::string& name, Features x, std::int64_t positions) {
  return node("Flatten", name, {x.id}, x.channels * positions, {int_attribute("axis", 1)});
}

Features Net::conv_bn_act(const std::string& conv_name, const std::string& norm_name, Features x,
                          std::int64_t channels, const ConvOptions& options, Act act) {
  x = batch_norm(norm_name, conv(conv_name, x, channels, options));
  return activation(norm_name + ".act", x, act);
}

Features Net::conv_bn_act(const std::string& name, Features x, std::int64_t channels,
                          const ConvOptions& options, Act act) {
  x = batch_norm(name + ".1", conv(name + ".0", x, channels, options));
  return activation(name + ".2", x, act);
}

Features Net::squeeze_excite(const std::string& name, Features x, std::int64_t squeezed, Act inner,
                             Act gate) {
  Features scale = global_average_pool(name + ".avgpool", x);
  scale = conv(name + ".fc1", scale, squeezed, {.bias = true});
  scale = activation(name + ".activation", scale, inner);
  scale = conv(name + ".fc2", scale, x.channels, {.bias = true});
  scale = activation(name + ".scale_activation", scale, gate);
  return mul(name + ".mul", scale, x);
}

Features Net::linear(const std::string& name, Features x, std::int64_t channels) {
  const ValueId matrix = weight(name + ".weight", {channels, x.channels});
  return node("Gemm", name, {x.id, matrix, weight(name + ".bias", {channels})}, channels,
              {int_attribute("transB", 1)});
}

Features Net::token_linear(const std::string& name, Features x, std::int64_t channels, bool bias) {
  const ValueId matrix = weight(name + ".weight", {x.channels, channels});
  const Features product = node("MatMul", name, {x.id, matrix}, channels);
  return bias ? add_bias(name, product) : product;
}

Features Net::add_bias(const std::string& name, Features x) {
  return node("Add", name + ".add_bias", {x.id, weight(name + ".bias", {x.channels})}, x.channels);
}

Features Net::layer_norm(const std::string& name, Features x) {
  const ValueId scale = weight(name + ".weight", {x.channels});
  return node("LayerNormalization", name, {x.id, scale, weight(name + ".bias", {x.channels})}, x.channels,
              {int_attribute("axis", -1), real_attribute("epsilon", 1e-5)});
}

Features Net::table(const std::string& name, std::int64_t count, std::int64_t channels) {
  return {weight(name + ".weight", {count, channels}), channels};
}

Features Net::lookup(const std::string& name, Features rows, ValueId indices) {
  return node("Gather", name, {rows.id, indices}, rows.channels);
}

Features Net::times_table(const std::string& name, Features x, Features rows, std::int64_t count) {
  const Features matrix = transpose(name + ".transpose", rows, {1, 0});
  return node("MatMul", name, {x.id, matrix.id}, count);
}

Features Net::activation(const std::string& name, Features x, Act act) {
  switch (act) {
    case Act::none:
      return x;
    case Act::relu:
      return node("Relu", name, {x.id}, x.channels);
    case Act::relu6:
      return node("Clip", name, {x.id, scalar(name + ".min", 0.0), scalar(name + ".max", 6.0)}, x.channels);
    case Act::sigmoid:
      return node("Sigmoid", name, {x.id}, x.channels);
    case Act::hard_sigmoid:
      return node("HardSigmoid", name, {x.id}, x.channels, {real_attribute("alpha", 1.0 / 6.0)});
    case Act::silu:
      return mul(name, x, node("Sigmoid", name + ".sigmoid", {x.id}, x.channels));
    case Act::hard_swish:
      return node("HardSwish", name, {x.id}, x.channels);
    case Act::tanh:
      return node("Tanh", name, {x.id}, x.channels);
    case Act::gelu:
      return node("Gelu", name, {x.id}, x.channels);
    case Act::gelu_in_operators:
      return gelu_in_operators(name, x);
  }
  return x;
}

// 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))
Features Net::gelu_in_operators(const std::string& name, Features x) {
  const auto with_number = [&](const char* op, const std::string& step, Features a, double number) {
    return node(op, name + step, {a.id, scalar(name + step + ".number", number)}, a.channels);
  };
  const Features half = with_number("Mul", ".half", x, 0.5);
  const Features cubic = with_number("Mul", ".cubic", with_number("Pow", ".cube", x, 3), 0.044715);
  const Features inner =
      with_number("Mul", ".inner", add(name + ".sum", x, cubic), std::sqrt(2 / std::numbers::pi));
  const Features tanh = node("Tanh", name + ".tanh", {inner.id}, x.channels);
  return mul(name, half, with_number("Add", ".one", tanh, 1));
}

Features Net::dropout(const std::string& name, Features x, double ratio) {
  return node("Dropout", name, {x.id, scalar(name + ".ratio", ratio)}, x.channels);
}

Features Net::add(const std::string& name, Features a, Features b) {
  return node("Add", name, {a.id, b.id}, a.channels);
}

Features Net::mul(const std::string& name, Features a, Features b) {
  return node("Mul", name, {a.id, b.id}, a.channels);
}

Features Net::concat(const std::string& name, const std::vector<Features>& parts, std::int64_t axis) {
  std::vector<ValueId> inputs;
  std::int64_t channels = 0;
  for (const Features& part : parts) {
    inputs.push_back(part.id);
    channels += part.channels;
  }
  return node("Concat", name, std::move(inputs), channels, {int_attribute("axis", axis)});
}

Features Net::reshape(const std::string& name, Features x, Ints shape) {
  return node("Reshape", name, {x.id, ints(name + ".shape", std::move(shape))}, x.channels);
}

Features Net::transpose(const std::string& name, Features x, Ints permutation) {
  return node("Transpose", name, {x.id}, x.channels, {ints_attribute("perm", std::move(permutation))});
}

std::vector<Features> Net::split(const std::string& name, Features x, std::int64_t axis, std::int64_t count) {
  const std::int64_t part = x.channels / count;
  const auto parts = static_cast<std::size_t>(count);
  const ValueId sizes = ints(name + ".sizes", Ints(parts, part));
  builder_.node("Split", name, {x.id, sizes}, {int_attribute("axis", axis)}, parts);
  std::vector<Features> result;
  for (std::size_t i = 0; i < parts; ++i) result.push_back({builder_.last_output(i), part});
  return result;
}

Features Net::slice(const std::string& name, Features x, std::int64_t axis, std::int64_t start,
                    std::int64_t end, std::int64_t step) {
  return node("Slice", name,
              {x.id, ints(name + ".starts", {start}), ints(name + ".ends", {end}),
               ints(name + ".axes", {axis}), ints(name + ".steps", {step})},
              x.channels);
}

Features Net::mean(const std::string& name, Features x, Ints axes) {
  return node("ReduceMean", name, {x.id}, x.channels,
              {ints_attribute("axes", std::move(axes)), int_attribute("keepdims", 0)});
}

Graph Net::finish(Features output, const std::string& name) {
  builder_.graph().value(output.id).name = name;
  builder_.output(output.id);
  return builder_.take();
}

}  // namespace layersim::zoo
