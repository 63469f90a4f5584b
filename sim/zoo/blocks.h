#pragma once
// The pieces from which the zoo's networks are built. A Net is a GraphBuilder that knows how many channels
// each tensor has, so that a network reads as its list of layers. Names are the module paths of the
// well-known PyTorch implementations: weights are called <name>.weight and <name>.bias, each node as its
// module.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/graph/graph.h"
#include "sim/zoo/zoo.h"

namespace layersim::zoo {

// A tensor and its channels: size of axis 1 of an image [N, C, H, W] or a row [N, C], of the last axis of
// tokens [N, S, C].
struct Features {
  ValueId id = kNoValue;
  std::int64_t channels = 0;
};

struct Extent {
  std::int64_t height;
  std::int64_t width;
  constexpr Extent(std::int64_t both) : height(both), width(both) {}
  constexpr Extent(std::int64_t h, std::int64_t w) : height(h), width(w) {}
};

struct ConvOptions {
  Extent kernel = 1;
  Extent stride = 1;
  std::optional<Extent> padding{};  // default: half the kernel
  std::int64_t groups = 1;
  bool bias = false;
};

struct PoolOptions {
  Extent kernel = 2;
  Extent stride = 2;
  Extent padding = 0;
  bool ceil = false;
};

enum class Act : unsigned char {
  none,
  relu,
  relu6,
  sigmoid,
  hard_sigmoid,
  silu,
  hard_swish,
  tanh,
  gelu,
  gelu_in_operators  // by tanh, each operator by itself, as GPT-2 is written
};

// The nearest multiple of 8, but no more than a tenth below: how mobile networks round scaled channels.
[[nodiscard]] std::int64_t round_channels(double channels);

class Net {
 public:
  explicit Net(std::string_view name, int opset = 17) : builder_(std::string(name), opset) {}

  // Inputs [N, channels, height, width] and [N, length]; weights; constants.
  Features image(Extent size, std::int64_t channels = 3);
  ValueId tokens(const std::string& name, std::int64_t length);
  ValueId weight(const std::string& name, Shape shape);
  ValueId ints(const std::string& name, std::vector<std::int64_t> values);
  ValueId scalar(const std::string& name, double value);
  // A constant (a mask) of which only the shape matters. In a file, the slash that is put before its name
  // tells it from a weight: PyTorch's exporter names what it has folded so.
  ValueId constant(const std::string& name, DType dtype, Shape shape);

  // Images.
  Features conv(const std::string& name, Features x, std::int64_t channels, const ConvOptions& options);
  Features conv_transpose(const std::string& name, Features x, std::int64_t channels,
                          const ConvOptions& options);
  Features batch_norm(const std::string& name, Features x);
  Features max_pool(const std::string& name, Features x, const PoolOptions& options);
  Features average_pool(const std::string& name, Features x, const PoolOptions& options);
  Features global_average_pool(const std::string& name, Features x);
  // [N, C, H, W] -> [N, C * positions], positions = H * W.
  Features flatten(const std::string& name, Features x, std::int64_t positions = 1);
  Features conv_bn_act(const std::string& conv_name, const std::string& norm_name, Features x,
                       std::int64_t channels, const ConvOptions& options, Act act);
  // The same as modules <name>.0, .1 and .2.
  Features conv_bn_act(const std::string& name, Features x, std::int64_t channels, const ConvOptions& options,
                       Act act);
  // Squeeze-and-excitation: each channel is scaled by what two 1x1 convolutions make of the channels' means.
  Features squeeze_excite(const std::string& name, Features x, std::int64_t squeezed, Act inner, Act gate);

  // Rows [N, C] (Gemm) and tokens [N, S, C] (MatMul and Add).
  Features linear(const std::string& name, Features x, std::int64_t channels);
  Features token_linear(const std::string& name, Features x, std::int64_t channels, bool bias = true);
  // Adds <name>.bias over the last axis.
  Features add_bias(const std::string& name, Features x);
  Features layer_norm(const std::string& name, Features x);
  // A learned table of `count` rows; its rows picked by integers; products of x with each row.
  Features table(const std::string& name, std::int64_t count, std::int64_t channels);
  Features lookup(const std::string& name, Features rows, ValueId indices);
  Features times_table(const std::string& name, Features x, Features rows, std::int64_t count);

  // Any rank.
  Features activation(const std::string& name, Features x, Act act);
  Features relu(const std::string& name, Features x) { return activation(name, x, Act::relu); }
  Features dropout(const std::string& name, Features x, double ratio);
  Features add(const std::string& name, Features a, Features b);
  Features mul(const std::string& name, Features a, Features b);
  Features concat(const std::string& name, const std::vector<Features>& parts, std::int64_t axis = 1);
  Features reshape(const std::string& name, Features x, std::vector<std::int64_t> shape);
  Features transpose(const std::string& name, Features x, std::vector<std::int64_t> permutation);
  // Equal parts along an axis; their channels are x.channels / count.
  std::vector<Features> split(const std::string& name, Features x, std::int64_t axis, std::int64_t count);
  // Positions start, start + step ... before `end` of an axis.
  Features slice(const std::string& name, Features x, std::int64_t axis, std::int64_t start, std::int64_t end,
                 std::int64_t step = 1);
  Features mean(const std::string& name, Features x, std::vector<std::int64_t> axes);

  // A node of one output with as many channels as told.
  Features node(std::string op, const std::string& name, std::vector<ValueId> inputs, std::int64_t channels,
                std::vector<Attribute> attributes = {});

  [[nodiscard]] GraphBuilder& builder() { return builder_; }
  [[nodiscard]] Graph finish(Features output, const std::string& name = "output");

 private:
  Features gelu_in_operators(const std::string& name, Features x);

  GraphBuilder builder_;
};

}  // namespace layersim::zoo
