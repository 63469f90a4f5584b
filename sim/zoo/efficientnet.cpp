// EfficientNet (Tan & Le 2019): inverted residuals with squeeze-and-excitation; b1 to b7 scale width, depth
// and image size of b0. The random skipping of whole blocks in training (stochastic depth) is left out.

#include <cmath>

#include "sim/zoo/blocks.h"

namespace layersim::zoo {
namespace {

Features inverted_residual(Net& net, const std::string& name, Features x, std::int64_t expansion,
                           std::int64_t channels, std::int64_t kernel, std::int64_t stride) {
  const std::int64_t inner = x.channels * expansion;
  Features y = x;
  int index = 0;
  const auto next = [&] { return name + ".block." + std::to_string(index++); };
  if (expansion != 1) y = net.conv_bn_act(next(), y, inner, {}, Act::silu);
  y = net.conv_bn_act(next(), y, inner, {.kernel = kernel, .stride = stride, .groups = inner}, Act::silu);
  y = net.squeeze_excite(next(), y, x.channels / 4, Act::silu, Act::sigmoid);
  y = net.conv_bn_act(next(), y, channels, {}, Act::none);
  return stride == 1 && x.channels == channels ? net.add(name + ".add", y, x) : y;
}

Graph efficientnet(std::string_view name, double width, double depth, std::int64_t size, double dropout,
                   const ZooVariant& variant) {
  struct Stage {
    std::int64_t expansion, kernel, stride;
    double channels, blocks;
  };
  // Table 1 of the paper.
  const std::vector<Stage> stages{{1, 3, 1, 16, 1},  {6, 3, 2, 24, 2},  {6, 5, 2, 40, 2}, {6, 3, 2, 80, 3},
                                  {6, 5, 1, 112, 3}, {6, 5, 2, 192, 4}, {6, 3, 1, 320, 1}};
  width *= variant.width;
  depth *= variant.depth;
  Net net(name);
  Features x = net.conv_bn_act("features.0", net.image(variant.size(size)), round_channels(32 * width),
                               {.kernel = 3, .stride = 2}, Act::silu);
  int index = 1;
  for (const Stage& stage : stages) {
    const auto blocks = static_cast<int>(std::ceil(stage.blocks * depth));
    for (int i = 0; i < blocks; ++i) {
      x = inverted_residual(net, "features." + std::to_string(index) + "." + std::to_string(i), x,
                            stage.expansion, round_channels(stage.channels * width), stage.kernel,
                            i == 0 ? stage.stride : 1);
    }
    ++index;
  }
  x = net.conv_bn_act("features." + std::to_string(index), x, 4 * x.channels, {}, Act::silu);
  x = net.flatten("flatten", net.global_average_pool("avgpool", x));
  return net.finish(net.linear("classifier.1", net.dropout("classifier.0", x, dropout), 1000));
}

}  // namespace

std::vector<ZooNetwork> efficientnet_networks() {
  return {
      {"efficientnet_b0", "efficientnet", "EfficientNet-B0 (Tan & Le 2019), 1000 classes, 224x224",
       [](const ZooVariant& variant) {
         return efficientnet("efficientnet_b0", 1.0, 1.0, 224, 0.2, variant);
       }},
      {"efficientnet_b1", "efficientnet", "EfficientNet-B1 (Tan & Le 2019), 1000 classes, 240x240",
       [](const ZooVariant& variant) {
         return efficientnet("efficientnet_b1", 1.0, 1.1, 240, 0.2, variant);
       }},
      {"efficientnet_b2", "efficientnet", "EfficientNet-B2 (Tan & Le 2019), 1000 classes, 288x288",
       [](const ZooVariant& variant) {
         return efficientnet("efficientnet_b2", 1.1, 1.2, 288, 0.3, variant);
       }},
      {"efficientnet_b3", "efficientnet", "EfficientNet-B3 (Tan & Le 2019), 1000 classes, 300x300",
       [](const ZooVariant& variant) {
         return efficientnet("efficientnet_b3", 1.2, 1.4, 300, 0.3, variant);
       }},
      {"efficientnet_b4", "efficientnet", "EfficientNet-B4 (Tan & Le 2019), 1000 classes, 380x380",
       [](const ZooVariant& variant) {
         return efficientnet("efficientnet_b4", 1.4, 1.8, 380, 0.4, variant);
       }},
      {"efficientnet_b5", "efficientnet", "EfficientNet-B5 (Tan & Le 2019), 1000 classes, 456x456",
       [](const ZooVariant& variant) {
         return efficientnet("efficientnet_b5", 1.6, 2.2, 456, 0.4, variant);
       }},
      {"efficientnet_b6", "efficientnet", "EfficientNet-B6 (Tan & Le 2019), 1000 classes, 528x528",
       [](const ZooVariant& variant) {
         return efficientnet("efficientnet_b6", 1.8, 2.6, 528, 0.5, variant);
       }},
      {"efficientnet_b7", "efficientnet", "EfficientNet-B7 (Tan & Le 2019), 1000 classes, 600x600",
       [](const ZooVariant& variant) {
         return efficientnet("efficientnet_b7", 2.0, 3.1, 600, 0.5, variant);
       }},
  };
}

}  // namespace layersim::zoo
