// ShuffleNet v2 (Ma et al. 2018): half of the channels pass a unit unchanged, then the halves are
// interleaved.

#include <array>

#include "sim/zoo/blocks.h"

namespace layersim::zoo {
namespace {

// Interleaves the channels of the two halves of an image of size x size.
Features shuffle(Net& net, const std::string& name, Features x, std::int64_t size) {
  x = net.reshape(name + ".reshape", x, {0, 2, x.channels / 2, size, size});
  x = net.transpose(name + ".transpose", x, {0, 2, 1, 3, 4});
  return net.reshape(name + ".reshape_1", x, {0, -1, size, size});
}

// 1x1, depthwise 3x3 and 1x1 convolutions.
Features branch2(Net& net, const std::string& name, Features x, std::int64_t channels, std::int64_t stride) {
  x = net.conv_bn_act(name + ".0", name + ".1", x, channels, {}, Act::relu);
  x = net.conv_bn_act(name + ".3", name + ".4", x, channels,
                      {.kernel = 3, .stride = stride, .groups = channels}, Act::none);
  return net.conv_bn_act(name + ".5", name + ".6", x, channels, {}, Act::relu);
}

// `size`: of the output.
Features unit(Net& net, const std::string& name, Features x, std::int64_t channels, std::int64_t size,
              bool first) {
  Features left;
  Features right;
  if (first) {  // halves the image; both branches read all channels
    const ConvOptions depthwise{.kernel = 3, .stride = 2, .groups = x.channels};
    left = net.conv_bn_act(name + ".branch1.0", name + ".branch1.1", x, x.channels, depthwise, Act::none);
    left = net.conv_bn_act(name + ".branch1.2", name + ".branch1.3", left, channels / 2, {}, Act::relu);
    right = branch2(net, name + ".branch2", x, channels / 2, 2);
  } else {
    const std::int64_t half = channels / 2;
    left = net.slice(name + ".pass", x, 1, 0, half);
    const Features worked = net.slice(name + ".work", x, 1, half, channels);
    right = branch2(net, name + ".branch2", {worked.id, half}, half, 1);
    left.channels = half;
  }
  return shuffle(net, name, net.concat(name + ".concat", {left, right}), size);
}

Graph shufflenet(std::string_view name, const std::array<std::int64_t, 3>& channels, std::int64_t last) {
  constexpr std::array<int, 3> kUnits{4, 8, 4};
  Net net(name);
  Features x = net.conv_bn_act("conv1", net.image(224), 24, {.kernel = 3, .stride = 2}, Act::relu);
  x = net.max_pool("maxpool", x, {.kernel = 3, .padding = 1});
  std::int64_t size = 56;
  for (std::size_t stage = 0; stage < kUnits.size(); ++stage) {
    size /= 2;
    for (int i = 0; i < kUnits[stage]; ++i) {
      const std::string path = "stage" + std::to_string(stage + 2) + "." + std::to_string(i);
      x = unit(net, path, x, channels[stage], size, i == 0);
    }
  }
  x = net.conv_bn_act("conv5", x, last, {}, Act::relu);
  return net.finish(net.linear("fc", net.mean("mean", x, {2, 3}), 1000));
}

}  // namespace

std::vector<ZooNetwork> shufflenet_networks() {
  return {
      {"shufflenet_v2_x0_5", "shufflenet", "ShuffleNet v2 x0.5 (Ma et al. 2018), 1000 classes, 224x224",
       [] {
         return shufflenet("shufflenet_v2_x0_5", {48, 96, 192}, 1024);
       }},
      {"shufflenet_v2_x1_0", "shufflenet", "ShuffleNet v2 x1.0 (Ma et al. 2018), 1000 classes, 224x224",
       [] {
         return shufflenet("shufflenet_v2_x1_0", {116, 232, 464}, 1024);
       }},
      {"shufflenet_v2_x1_5", "shufflenet", "ShuffleNet v2 x1.5 (Ma et al. 2018), 1000 classes, 224x224",
       [] {
         return shufflenet("shufflenet_v2_x1_5", {176, 352, 704}, 1024);
       }},
      {"shufflenet_v2_x2_0", "shufflenet", "ShuffleNet v2 x2.0 (Ma et al. 2018), 1000 classes, 224x224",
       [] {
         return shufflenet("shufflenet_v2_x2_0", {244, 488, 976}, 2048);
       }},
  };
}

}  // namespace layersim::zoo
