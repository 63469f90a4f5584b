// MNASNet (Tan et al. 2018), found by search: inverted residuals of several kernels and widths.

#include "sim/zoo/blocks.h"

namespace layersim::zoo {
namespace {

// Convolution and batch norm count as modules <index> and <index + 1> of `name`.
Features conv_bn(Net& net, const std::string& name, int index, Features x, std::int64_t channels,
                 const ConvOptions& options, Act act) {
  const std::string path = name + "layers.";
  return net.conv_bn_act(path + std::to_string(index), path + std::to_string(index + 1), x, channels, options,
                         act);
}

Features inverted_residual(Net& net, const std::string& name, Features x, std::int64_t channels,
                           std::int64_t kernel, std::int64_t stride, std::int64_t expansion) {
  const std::int64_t inner = x.channels * expansion;
  Features y = conv_bn(net, name + ".", 0, x, inner, {}, Act::relu);
  y = conv_bn(net, name + ".", 3, y, inner, {.kernel = kernel, .stride = stride, .groups = inner}, Act::relu);
  y = conv_bn(net, name + ".", 6, y, channels, {}, Act::none);
  return stride == 1 && x.channels == channels ? net.add(name + ".add", y, x) : y;
}

Graph mnasnet(std::string_view name, double width) {
  struct Stage {
    double channels;
    std::int64_t kernel, stride, expansion;
    int blocks;
  };
  const std::vector<Stage> stages{{24, 3, 2, 3, 3}, {40, 5, 2, 3, 3},  {80, 5, 2, 6, 3},
                                  {96, 3, 1, 6, 2}, {192, 5, 2, 6, 4}, {320, 3, 1, 6, 1}};
  Net net(name);
  Features x = net.image(224);
  x = conv_bn(net, "", 0, x, round_channels(32 * width), {.kernel = 3, .stride = 2}, Act::relu);
  x = conv_bn(net, "", 3, x, x.channels, {.kernel = 3, .groups = x.channels}, Act::relu);
  x = conv_bn(net, "", 6, x, round_channels(16 * width), {}, Act::none);
  int index = 8;
  for (const Stage& stage : stages) {
    for (int i = 0; i < stage.blocks; ++i) {
      x = inverted_residual(net, "layers." + std::to_string(index) + "." + std::to_string(i), x,
                            round_channels(stage.channels * width), stage.kernel, i == 0 ? stage.stride : 1,
                            stage.expansion);
    }
    ++index;
  }
  x = conv_bn(net, "", index, x, 1280, {}, Act::relu);
  x = net.dropout("classifier.0", net.mean("mean", x, {2, 3}), 0.2);
  return net.finish(net.linear("classifier.1", x, 1000));
}

}  // namespace

std::vector<ZooNetwork> mnasnet_networks() {
  return {
      {"mnasnet0_5", "mnasnet", "MNASNet x0.5 (Tan et al. 2018), 1000 classes, 224x224",
       [] { return mnasnet("mnasnet0_5", 0.5); }},
      {"mnasnet0_75", "mnasnet", "MNASNet x0.75 (Tan et al. 2018), 1000 classes, 224x224",
       [] { return mnasnet("mnasnet0_75", 0.75); }},
      {"mnasnet1_0", "mnasnet", "MNASNet x1.0 (Tan et al. 2018), 1000 classes, 224x224",
       [] { return mnasnet("mnasnet1_0", 1.0); }},
      {"mnasnet1_3", "mnasnet", "MNASNet x1.3 (Tan et al. 2018), 1000 classes, 224x224",
       [] { return mnasnet("mnasnet1_3", 1.3); }},
  };
}

}  // namespace layersim::zoo
