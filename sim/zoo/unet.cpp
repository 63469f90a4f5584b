// U-Net (Ronneberger et al. 2015), with padded convolutions and batch norms as is usual today.

#include "sim/zoo/blocks.h"

namespace layersim::zoo {
namespace {

Features double_conv(Net& net, const std::string& name, Features x, std::int64_t channels) {
  const std::string path = name + ".double_conv.";
  x = net.conv_bn_act(path + "0", path + "1", x, channels, {.kernel = 3}, Act::relu);
  return net.conv_bn_act(path + "3", path + "4", x, channels, {.kernel = 3}, Act::relu);
}

Graph unet() {
  constexpr int kLevels = 4;
  Net net("unet");
  Features x = double_conv(net, "inc", net.image(512), 64);
  std::vector<Features> skipped;
  for (int level = 1; level <= kLevels; ++level) {
    const std::string path = "down" + std::to_string(level) + ".maxpool_conv.";
    skipped.push_back(x);
    x = double_conv(net, path + "1", net.max_pool(path + "0", x, {}), 2 * x.channels);
  }
  for (int level = 1; level <= kLevels; ++level) {
    const std::string path = "up" + std::to_string(level);
    const Features skip = skipped.back();
    skipped.pop_back();
    x = net.conv_transpose(path + ".up", x, x.channels / 2,
                           {.kernel = 2, .stride = 2, .padding = 0, .bias = true});
    x = double_conv(net, path + ".conv", net.concat(path + ".concat", {skip, x}), skip.channels);
  }
  return net.finish(net.conv("outc.conv", x, 2, {.bias = true}));
}

}  // namespace

std::vector<ZooNetwork> unet_networks() {
  return {{"unet", "unet", "U-Net (Ronneberger et al. 2015), padded, batch norms, 2 classes, 512x512", unet}};
}

}  // namespace layersim::zoo
