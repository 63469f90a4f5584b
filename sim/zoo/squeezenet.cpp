// SqueezeNet (Iandola et al. 2016): fire modules, a 1x1 convolution that squeezes and two that expand side by
// side.

#include "sim/zoo/blocks.h"

namespace layersim::zoo {
namespace {

Features conv_relu(Net& net, const std::string& name, Features x, std::int64_t channels,
                   std::int64_t kernel) {
  return net.relu(name + "_activation", net.conv(name, x, channels, {.kernel = kernel, .bias = true}));
}

Features fire(Net& net, const std::string& name, Features x, std::int64_t squeezed) {
  x = conv_relu(net, name + ".squeeze", x, squeezed, 1);
  const Features expand1 = conv_relu(net, name + ".expand1x1", x, 4 * squeezed, 1);
  const Features expand3 = conv_relu(net, name + ".expand3x3", x, 4 * squeezed, 3);
  return net.concat(name + ".concat", {expand1, expand3});
}

// Squeezed channels of the fire modules; 0 stands for a pooling.
Graph squeezenet(std::string_view name, std::int64_t first, std::int64_t kernel,
                 const std::vector<std::int64_t>& rest) {
  Net net(name);
  Features x = net.image(224);
  x = net.conv("features.0", x, first, {.kernel = kernel, .stride = 2, .padding = 0, .bias = true});
  x = net.relu("features.1", x);
  int index = 2;
  for (const std::int64_t squeezed : rest) {
    const std::string path = "features." + std::to_string(index++);
    x = squeezed == 0 ? net.max_pool(path, x, {.kernel = 3, .ceil = true}) : fire(net, path, x, squeezed);
  }
  x = net.dropout("classifier.0", x, 0.5);
  x = net.relu("classifier.2", net.conv("classifier.1", x, 1000, {.bias = true}));
  return net.finish(net.flatten("flatten", net.global_average_pool("classifier.3", x)));
}

}  // namespace

std::vector<ZooNetwork> squeezenet_networks() {
  return {
      {"squeezenet1_0", "squeezenet", "SqueezeNet 1.0 (Iandola et al. 2016), 1000 classes, 224x224",
       [] {
         return squeezenet("squeezenet1_0", 96, 7, {0, 16, 16, 32, 0, 32, 48, 48, 64, 0, 64});
       }},
      {"squeezenet1_1", "squeezenet", "SqueezeNet 1.1 (Iandola et al. 2016), 1000 classes, 224x224",
       [] {
         return squeezenet("squeezenet1_1", 64, 3, {0, 16, 16, 0, 32, 32, 0, 48, 48, 64, 64});
       }},
  };
}

}  // namespace layersim::zoo
