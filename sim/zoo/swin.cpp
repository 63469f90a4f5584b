// Swin transformer (Liu et al. 2021): attention within windows of 7x7 patches, which every other block shifts
// by 3. The random skipping of whole blocks in training (stochastic depth) is left out.

#include <array>

#include "sim/zoo/attention.h"

namespace layersim::zoo {
namespace {

constexpr std::int64_t kWindow = 7;
constexpr std::int64_t kPatches = kWindow * kWindow;  // of a window
constexpr std::int64_t kShift = kWindow / 2;
constexpr std::int64_t kEnd = std::int64_t{1} << 31;  // beyond any axis

// Moves the first `count` rows and columns of [N, H, W, C] to the end (negative: the last to the front).
Features roll(Net& net, const std::string& name, Features x, std::int64_t count) {
  for (const std::int64_t axis : {1, 2}) {
    const std::string path = name + "." + std::to_string(axis);
    const Features rest = net.slice(path + ".rest", x, axis, count, kEnd);
    const Features moved = net.slice(path + ".moved", x, axis, 0, count);
    x = net.node("Concat", path, {rest.id, moved.id}, x.channels, {{"axis", axis}});
  }
  return x;
}

// Row of the bias table for each pair of patches of a window: their distance in rows and columns.
std::vector<std::int64_t> relative_positions() {
  std::vector<std::int64_t> rows;
  for (std::int64_t a = 0; a < kPatches; ++a) {
    for (std::int64_t b = 0; b < kPatches; ++b) {
      const std::int64_t down = a / kWindow - b / kWindow + kWindow - 1;
      const std::int64_t across = a % kWindow - b % kWindow + kWindow - 1;
      rows.push_back(down * (2 * kWindow - 1) + across);
    }
  }
  return rows;
}

// A learned bias [heads, patches, patches].
Features position_bias(Net& net, const std::string& name, std::int64_t heads) {
  const Features table{
      net.weight(name + ".relative_position_bias_table", {(2 * kWindow - 1) * (2 * kWindow - 1), heads}),
      heads};
  Features bias =
      net.lookup(name + ".bias", table, net.ints(name + ".relative_position_index", relative_positions()));
  bias = net.reshape(name + ".bias.reshape", bias, {kPatches, kPatches, heads});
  return net.transpose(name + ".bias.transpose", bias, {2, 0, 1});
}

// Attention within each window of [N, size, size, C].
Features window_attention(Net& net, const std::string& name, Features x, std::int64_t size,
                          std::int64_t heads, bool shifted) {
  const std::int64_t channels = x.channels;
  const std::int64_t side = size / kWindow;
  const std::int64_t windows = side * side;
  if (shifted) x = roll(net, name + ".roll", x, kShift);
  x = net.reshape(name + ".tile", x, {-1, side, kWindow, side, kWindow, channels});
  x = net.transpose(name + ".partition", x, {0, 1, 3, 2, 4, 5});
  x = net.reshape(name + ".windows", x, {-1, kPatches, channels});

  const Features bias = position_bias(net, name, heads);
  const auto adjust = [&](const std::string& path, Features scores) {
    scores = net.add(path + ".add_bias", scores, bias);
    if (!shifted) return scores;
    // Patches that the roll brought together from opposite borders do not see each other.
    const Features mask{net.constant(path + ".mask", DType::f32, {windows, 1, kPatches, kPatches}), heads};
    scores = net.reshape(path + ".by_window", scores, {-1, windows, heads, kPatches, kPatches});
    scores = net.add(path + ".add_mask", scores, mask);
    return net.reshape(path + ".by_batch", scores, {-1, heads, kPatches, kPatches});
  };
  const auto qkv = net.split(name + ".split", net.token_linear(name + ".qkv", x, 3 * channels), 2, 3);
  x = attention(net, name, qkv[0], qkv[1], qkv[2], {.heads = heads, .scale_query = true, .adjust = adjust});
  x = net.token_linear(name + ".proj", x, channels);

  x = net.reshape(name + ".untile", x, {-1, side, side, kWindow, kWindow, channels});
  x = net.transpose(name + ".unpartition", x, {0, 1, 3, 2, 4, 5});
  x = net.reshape(name + ".image", x, {-1, size, size, channels});
  return shifted ? roll(net, name + ".unroll", x, -kShift) : x;
}

Features block(Net& net, const std::string& name, Features x, std::int64_t size, std::int64_t heads,
               bool shifted) {
  Features y =
      window_attention(net, name + ".attn", net.layer_norm(name + ".norm1", x), size, heads, shifted);
  x = net.add(name + ".add_1", x, y);
  y = net.layer_norm(name + ".norm2", x);
  return net.add(name + ".add_2", x,
                 feed_forward(net, name + ".mlp.0", name + ".mlp.3", y, 4 * x.channels, Act::gelu));
}

// Each 2x2 patches become one of twice the channels.
Features merge_patches(Net& net, const std::string& name, Features x) {
  std::vector<Features> quarters;
  for (const std::int64_t column : {0, 1}) {
    for (const std::int64_t row : {0, 1}) {
      const std::string path = name + "." + std::to_string(row) + std::to_string(column);
      const Features rows = net.slice(path + ".rows", x, 1, row, kEnd, 2);
      quarters.push_back(net.slice(path + ".columns", rows, 2, column, kEnd, 2));
    }
  }
  const Features merged = net.concat(name + ".concat", quarters, 3);
  return net.token_linear(name + ".reduction", net.layer_norm(name + ".norm", merged), 2 * x.channels, false);
}

Graph swin(std::string_view name, std::int64_t channels, const std::array<int, 4>& blocks,
           std::int64_t heads) {
  Net net(name, 20);
  Features x = net.conv("features.0.0", net.image(224), channels,
                        {.kernel = 4, .stride = 4, .padding = 0, .bias = true});
  x = net.layer_norm("features.0.2", net.transpose("features.0.1", x, {0, 2, 3, 1}));
  std::int64_t size = 56;
  int index = 1;
  for (std::size_t stage = 0; stage < blocks.size(); ++stage) {
    if (stage > 0) {
      x = merge_patches(net, "features." + std::to_string(index++), x);
      size /= 2;
      heads *= 2;
    }
    const std::string path = "features." + std::to_string(index++) + ".";
    for (int i = 0; i < blocks[stage]; ++i) {
      x = block(net, path + std::to_string(i), x, size, heads, i % 2 == 1 && size > kWindow);
    }
  }
  x = net.transpose("permute", net.layer_norm("norm", x), {0, 3, 1, 2});
  x = net.flatten("flatten", net.global_average_pool("avgpool", x));
  return net.finish(net.linear("head", x, 1000));
}

}  // namespace

std::vector<ZooNetwork> swin_networks() {
  return {
      {"swin_t", "swin", "Swin-T (Liu et al. 2021), 1000 classes, 224x224",
       [] {
         return swin("swin_t", 96, {2, 2, 6, 2}, 3);
       }},
      {"swin_s", "swin", "Swin-S (Liu et al. 2021), 1000 classes, 224x224",
       [] {
         return swin("swin_s", 96, {2, 2, 18, 2}, 3);
       }},
      {"swin_b", "swin", "Swin-B (Liu et al. 2021), 1000 classes, 224x224",
       [] {
         return swin("swin_b", 128, {2, 2, 18, 2}, 4);
       }},
  };
}

}  // namespace layersim::zoo
