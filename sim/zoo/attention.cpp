#include "sim/zoo/attention.h"

#include <cmath>
#include <limits>

namespace layersim::zoo {
namespace {

constexpr double kLowest = std::numeric_limits<float>::lowest();

// [N, S, C] -> [N, heads, S, C / heads], or the last two axes swapped.
Features split_heads(Net& net, const std::string& name, Features x, std::int64_t heads, bool swapped) {
  x = net.reshape(name + ".heads", x, {0, 0, heads, x.channels / heads});
  return net.transpose(
      name + ".transpose", x,
      swapped ? std::vector<std::int64_t>{0, 2, 3, 1} : std::vector<std::int64_t>{0, 2, 1, 3});
}

ValueId length_of(Net& net, const std::string& name, ValueId ids) {
  const std::vector<Attribute> axis{{"start", std::int64_t{1}}, {"end", std::int64_t{2}}};
  return net.node("Shape", name, {ids}, 1, axis).id;
}

}  // namespace

Features attention(Net& net, const std::string& name, Features q, Features k, Features v,
                   const AttentionOptions& options) {
  const std::int64_t channels = v.channels;
  const ValueId root = net.scalar(name + ".root", std::sqrt(static_cast<double>(channels / options.heads)));
  const auto scale = [&](Features x) { return net.node("Div", name + ".scale", {x.id, root}, x.channels); };
  q = split_heads(net, name + ".q", options.scale_query ? scale(q) : q, options.heads, false);
  k = split_heads(net, name + ".k", k, options.heads, true);
  v = split_heads(net, name + ".v", v, options.heads, false);
  Features scores = net.node("MatMul", name + ".scores", {q.id, k.id}, options.heads);
  if (!options.scale_query) scores = scale(scores);
  if (options.adjust) scores = options.adjust(name, scores);
  Features weights =
      net.node("Softmax", name + ".softmax", {scores.id}, scores.channels, {{"axis", std::int64_t{-1}}});
  if (options.dropout > 0.0) weights = net.dropout(name + ".dropout", weights, options.dropout);
  Features merged = net.node("MatMul", name + ".values", {weights.id, v.id}, channels);
  merged = net.transpose(name + ".merge", merged, {0, 2, 1, 3});
  return net.reshape(name + ".merged", merged, {0, 0, channels});
}

Features feed_forward(Net& net, const std::string& first, const std::string& second, Features x,
                      std::int64_t inner, Act act) {
  const std::int64_t channels = x.channels;
  x = net.activation(first + ".act", net.token_linear(first, x, inner), act);
  return net.token_linear(second, x, channels);
}

ValueId positions(Net& net, ValueId ids, std::int64_t offset) {
  const ValueId length = length_of(net, "positions.length", ids);
  const ValueId first = net.builder().constant("positions.first", std::vector<std::int64_t>{offset}, Shape{});
  const ValueId one = net.builder().constant("positions.step", std::vector<std::int64_t>{1}, Shape{});
  const ValueId count = net.node("Squeeze", "positions.count", {length}, 1).id;
  const ValueId end = net.node("Add", "positions.end", {count, first}, 1).id;
  return net.node("Range", "positions", {first, end, one}, 1).id;
}

std::function<Features(const std::string&, Features)> causal_mask(Net& net, ValueId ids,
                                                                  std::int64_t longest) {
  const ValueId whole = net.constant("causal_mask", DType::boolean, {1, 1, longest, longest});
  const ValueId length = length_of(net, "causal_mask.length", ids);
  const ValueId ends = net.concat("causal_mask.ends", {{length, 1}, {length, 1}}, 0).id;
  const ValueId starts = net.ints("causal_mask.starts", {0, 0});
  const ValueId axes = net.ints("causal_mask.axes", {2, 3});
  const ValueId mask = net.node("Slice", "causal_mask.slice", {whole, starts, ends, axes}, 1).id;
  const ValueId lowest = net.scalar("causal_mask.lowest", kLowest);
  return [&net, mask, lowest](const std::string& name, Features scores) {
    return net.node("Where", name + ".mask", {mask, scores.id, lowest}, scores.channels);
  };
}

}  // namespace layersim::zoo
