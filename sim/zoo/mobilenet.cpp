// MobileNet v2 (Sandler et al. 2018) and v3 (Howard et al. 2019): inverted residuals, that is a 1x1
// convolution that widens, a depthwise one, and a 1x1 that narrows; v3 adds squeeze-and-excitation and the
// hard swish.

#include "sim/zoo/blocks.h"

namespace layersim::zoo {
namespace {

Features inverted_residual_v2(Net& net, const std::string& name, Features x, std::int64_t expansion,
                              std::int64_t channels, std::int64_t stride) {
  const std::int64_t inner = x.channels * expansion;
  Features y = x;
  int index = 0;
  const auto next = [&] { return name + ".conv." + std::to_string(index++); };
  if (expansion != 1) y = net.conv_bn_act(next(), y, inner, {}, Act::relu6);
  y = net.conv_bn_act(next(), y, inner, {.kernel = 3, .stride = stride, .groups = inner}, Act::relu6);
  y = net.conv(next(), y, channels, {});
  y = net.batch_norm(next(), y);
  return stride == 1 && x.channels == channels ? net.add(name + ".add", x, y) : y;
}

Graph mobilenet_v2(const ZooVariant& variant) {
  struct Stage {
    std::int64_t expansion, channels;
    int blocks;
    std::int64_t stride;
  };
  // Table 2 of the paper.
  const std::vector<Stage> stages{{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                                  {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
  Net net("mobilenet_v2");
  int index = 0;
  const auto next = [&index] { return "features." + std::to_string(index++); };
  Features x = net.conv_bn_act(next(), net.image(variant.size(224)), variant.channels(32),
                               {.kernel = 3, .stride = 2}, Act::relu6);
  for (const Stage& stage : stages) {
    for (int i = 0; i < variant.layers(stage.blocks); ++i) {
      x = inverted_residual_v2(net, next(), x, stage.expansion, variant.channels(stage.channels),
                               i == 0 ? stage.stride : 1);
    }
  }
  x = net.conv_bn_act(next(), x, variant.channels(1280), {}, Act::relu6);
  x = net.flatten("flatten", net.global_average_pool("avgpool", x));
  return net.finish(net.linear("classifier.1", net.dropout("classifier.0", x, 0.2), 1000));
}

struct BlockV3 {
  std::int64_t kernel, inner, channels;
  bool squeeze;
  Act act;
  std::int64_t stride;
};

Features inverted_residual_v3(Net& net, const std::string& name, Features x, const BlockV3& block) {
  Features y = x;
  int index = 0;
  const auto next = [&] { return name + ".block." + std::to_string(index++); };
  if (block.inner != x.channels) y = net.conv_bn_act(next(), y, block.inner, {}, block.act);
  y = net.conv_bn_act(next(), y, block.inner,
                      {.kernel = block.kernel, .stride = block.stride, .groups = block.inner}, block.act);
  if (block.squeeze) {
    const std::int64_t squeezed = round_channels(static_cast<double>(block.inner) / 4);
    y = net.squeeze_excite(next(), y, squeezed, Act::relu, Act::hard_sigmoid);
  }
  y = net.conv_bn_act(next(), y, block.channels, {}, Act::none);
  return block.stride == 1 && x.channels == block.channels ? net.add(name + ".add", y, x) : y;
}

Graph mobilenet_v3(std::string_view name, const std::vector<BlockV3>& blocks, std::int64_t head) {
  Net net(name);
  int index = 0;
  const auto next = [&index] { return "features." + std::to_string(index++); };
  Features x = net.conv_bn_act(next(), net.image(224), 16, {.kernel = 3, .stride = 2}, Act::hard_swish);
  for (const BlockV3& block : blocks) x = inverted_residual_v3(net, next(), x, block);
  x = net.conv_bn_act(next(), x, 6 * x.channels, {}, Act::hard_swish);
  x = net.flatten("flatten", net.global_average_pool("avgpool", x));
  x = net.activation("classifier.1", net.linear("classifier.0", x, head), Act::hard_swish);
  return net.finish(net.linear("classifier.3", net.dropout("classifier.2", x, 0.2), 1000));
}

// Tables 1 and 2 of the paper.
Graph mobilenet_v3_large() {
  constexpr Act kRelu = Act::relu;
  constexpr Act kSwish = Act::hard_swish;
  return mobilenet_v3("mobilenet_v3_large",
                      {{3, 16, 16, false, kRelu, 1},
                       {3, 64, 24, false, kRelu, 2},
                       {3, 72, 24, false, kRelu, 1},
                       {5, 72, 40, true, kRelu, 2},
                       {5, 120, 40, true, kRelu, 1},
                       {5, 120, 40, true, kRelu, 1},
                       {3, 240, 80, false, kSwish, 2},
                       {3, 200, 80, false, kSwish, 1},
                       {3, 184, 80, false, kSwish, 1},
                       {3, 184, 80, false, kSwish, 1},
                       {3, 480, 112, true, kSwish, 1},
                       {3, 672, 112, true, kSwish, 1},
                       {5, 672, 160, true, kSwish, 2},
                       {5, 960, 160, true, kSwish, 1},
                       {5, 960, 160, true, kSwish, 1}},
                      1280);
}

Graph mobilenet_v3_small() {
  constexpr Act kRelu = Act::relu;
  constexpr Act kSwish = Act::hard_swish;
  return mobilenet_v3("mobilenet_v3_small",
                      {{3, 16, 16, true, kRelu, 2},
                       {3, 72, 24, false, kRelu, 2},
                       {3, 88, 24, false, kRelu, 1},
                       {5, 96, 40, true, kSwish, 2},
                       {5, 240, 40, true, kSwish, 1},
                       {5, 240, 40, true, kSwish, 1},
                       {5, 120, 48, true, kSwish, 1},
                       {5, 144, 48, true, kSwish, 1},
                       {5, 288, 96, true, kSwish, 2},
                       {5, 576, 96, true, kSwish, 1},
                       {5, 576, 96, true, kSwish, 1}},
                      1024);
}

}  // namespace

std::vector<ZooNetwork> mobilenet_networks() {
  return {
      {"mobilenet_v2", "mobilenet", "MobileNet v2 (Sandler et al. 2018), 1000 classes, 224x224",
       mobilenet_v2},
      {"mobilenet_v3_small", "mobilenet", "MobileNet v3 small (Howard et al. 2019), 1000 classes, 224x224",
       mobilenet_v3_small},
      {"mobilenet_v3_large", "mobilenet", "MobileNet v3 large (Howard et al. 2019), 1000 classes, 224x224",
       mobilenet_v3_large},
  };
}

}  // namespace layersim::zoo
