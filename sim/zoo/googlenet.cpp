// GoogLeNet (Szegedy et al. 2014) with batch norms and without the auxiliary classifiers.

#include "sim/zoo/blocks.h"

namespace layersim::zoo {
namespace {

Features conv(Net& net, const std::string& name, Features x, std::int64_t channels,
              const ConvOptions& options = {}) {
  return net.conv_bn_act(name + ".conv", name + ".bn", x, channels, options, Act::relu);
}

// Channels of the branches: 1x1; 1x1 and 3x3; 1x1 and 3x3 (5x5 in the paper); after the pooling.
struct Inception {
  const char* name;
  std::int64_t c1, c3_reduce, c3, c5_reduce, c5, pool;
};

Features inception(Net& net, const Inception& c, Features x) {
  const std::string path = std::string(c.name) + ".branch";
  const Features b1 = conv(net, path + "1", x, c.c1);
  const Features b2 = conv(net, path + "2.1", conv(net, path + "2.0", x, c.c3_reduce), c.c3, {.kernel = 3});
  const Features b3 = conv(net, path + "3.1", conv(net, path + "3.0", x, c.c5_reduce), c.c5, {.kernel = 3});
  const Features pooled =
      net.max_pool(path + "4.0", x, {.kernel = 3, .stride = 1, .padding = 1, .ceil = true});
  const Features b4 = conv(net, path + "4.1", pooled, c.pool);
  return net.concat(std::string(c.name) + ".concat", {b1, b2, b3, b4});
}

Graph googlenet() {
  Net net("googlenet");
  Features x = conv(net, "conv1", net.image(224), 64, {.kernel = 7, .stride = 2});
  x = net.max_pool("maxpool1", x, {.kernel = 3, .ceil = true});
  x = conv(net, "conv2", x, 64);
  x = conv(net, "conv3", x, 192, {.kernel = 3});
  x = net.max_pool("maxpool2", x, {.kernel = 3, .ceil = true});
  x = inception(net, {"inception3a", 64, 96, 128, 16, 32, 32}, x);
  x = inception(net, {"inception3b", 128, 128, 192, 32, 96, 64}, x);
  x = net.max_pool("maxpool3", x, {.kernel = 3, .ceil = true});
  x = inception(net, {"inception4a", 192, 96, 208, 16, 48, 64}, x);
  x = inception(net, {"inception4b", 160, 112, 224, 24, 64, 64}, x);
  x = inception(net, {"inception4c", 128, 128, 256, 24, 64, 64}, x);
  x = inception(net, {"inception4d", 112, 144, 288, 32, 64, 64}, x);
  x = inception(net, {"inception4e", 256, 160, 320, 32, 128, 128}, x);
  x = net.max_pool("maxpool4", x, {.ceil = true});
  x = inception(net, {"inception5a", 256, 160, 320, 32, 128, 128}, x);
  x = inception(net, {"inception5b", 384, 192, 384, 48, 128, 128}, x);
  x = net.flatten("flatten", net.global_average_pool("avgpool", x));
  return net.finish(net.linear("fc", net.dropout("dropout", x, 0.2), 1000));
}

}  // namespace

std::vector<ZooNetwork> googlenet_networks() {
  return {{"googlenet", "googlenet", "GoogLeNet (Szegedy et al. 2014), 1000 classes, 224x224", googlenet}};
}

}  // namespace layersim::zoo
