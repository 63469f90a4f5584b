// ConvNeXt (Liu et al. 2022): depthwise 7x7 convolutions and dense layers over channels, arranged as in a
// transformer. The random skipping of whole blocks in training (stochastic depth) is left out.

#include <array>

#include "sim/zoo/attention.h"

namespace layersim::zoo {
namespace {

Features channels_last(Net& net, const std::string& name, Features x) {
  return net.transpose(name, x, {0, 2, 3, 1});
}
Features channels_first(Net& net, const std::string& name, Features x) {
  return net.transpose(name, x, {0, 3, 1, 2});
}

// Over the channels of an image.
Features image_norm(Net& net, const std::string& name, Features x) {
  x = net.layer_norm(name, channels_last(net, name + ".permute", x));
  return channels_first(net, name + ".permute_back", x);
}

Features block(Net& net, const std::string& name, Features x) {
  const std::string path = name + ".block.";
  Features y = net.conv(path + "0", x, x.channels, {.kernel = 7, .groups = x.channels, .bias = true});
  y = net.layer_norm(path + "2", channels_last(net, path + "1", y));
  y = feed_forward(net, path + "3", path + "5", y, 4 * x.channels, Act::gelu);
  y = channels_first(net, path + "6", y);
  const Features scale{net.weight(name + ".layer_scale", {x.channels, 1, 1}), x.channels};
  return net.add(name + ".add", net.mul(name + ".scale", scale, y), x);
}

Graph convnext(std::string_view name, const std::array<std::int64_t, 4>& channels,
               const std::array<int, 4>& blocks) {
  Net net(name, 20);
  Features x = net.image(224);
  x = net.conv("features.0.0", x, channels[0], {.kernel = 4, .stride = 4, .padding = 0, .bias = true});
  x = image_norm(net, "features.0.1", x);
  int index = 1;
  for (std::size_t stage = 0; stage < blocks.size(); ++stage) {
    if (stage > 0) {
      const std::string path = "features." + std::to_string(index++) + ".";
      x = image_norm(net, path + "0", x);
      x = net.conv(path + "1", x, channels[stage], {.kernel = 2, .stride = 2, .padding = 0, .bias = true});
    }
    const std::string path = "features." + std::to_string(index++) + ".";
    for (int i = 0; i < blocks[stage]; ++i) x = block(net, path + std::to_string(i), x);
  }
  x = image_norm(net, "classifier.0", net.global_average_pool("avgpool", x));
  return net.finish(net.linear("classifier.2", net.flatten("classifier.1", x), 1000));
}

}  // namespace

std::vector<ZooNetwork> convnext_networks() {
  return {
      {"convnext_tiny", "convnext", "ConvNeXt-T (Liu et al. 2022), 1000 classes, 224x224",
       [] {
         return convnext("convnext_tiny", {96, 192, 384, 768}, {3, 3, 9, 3});
       }},
      {"convnext_small", "convnext", "ConvNeXt-S (Liu et al. 2022), 1000 classes, 224x224",
       [] {
         return convnext("convnext_small", {96, 192, 384, 768}, {3, 3, 27, 3});
       }},
      {"convnext_base", "convnext", "ConvNeXt-B (Liu et al. 2022), 1000 classes, 224x224",
       [] {
         return convnext("convnext_base", {128, 256, 512, 1024}, {3, 3, 27, 3});
       }},
      {"convnext_large", "convnext", "ConvNeXt-L (Liu et al. 2022), 1000 classes, 224x224",
       [] {
         return convnext("convnext_large", {192, 384, 768, 1536}, {3, 3, 27, 3});
       }},
  };
}

}  // namespace layersim::zoo
