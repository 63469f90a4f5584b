// DenseNet (Huang et al. 2016): every layer reads the outputs of all earlier layers of its block.

#include <array>

#include "sim/zoo/blocks.h"

namespace layersim::zoo {
namespace {

// Batch norm, ReLU and 1x1 convolution to 4 x growth channels, then the same with 3x3 to `growth` channels.
Features dense_layer(Net& net, const std::string& name, const std::vector<Features>& earlier,
                     std::int64_t growth) {
  Features x = net.concat(name + ".concat", earlier);
  x = net.relu(name + ".relu1", net.batch_norm(name + ".norm1", x));
  x = net.conv(name + ".conv1", x, 4 * growth, {});
  x = net.relu(name + ".relu2", net.batch_norm(name + ".norm2", x));
  return net.conv(name + ".conv2", x, growth, {.kernel = 3});
}

Features transition(Net& net, const std::string& name, Features x) {
  x = net.relu(name + ".relu", net.batch_norm(name + ".norm", x));
  x = net.conv(name + ".conv", x, x.channels / 2, {});
  return net.average_pool(name + ".pool", x, {});
}

Graph densenet(std::string_view name, std::int64_t first, std::int64_t growth,
               const std::array<int, 4>& layers, const ZooVariant& variant) {
  Net net(name);
  Features x = net.image(variant.size(224));
  x = net.conv_bn_act("features.conv0", "features.norm0", x, variant.channels(first),
                      {.kernel = 7, .stride = 2}, Act::relu);
  x = net.max_pool("features.pool0", x, {.kernel = 3, .padding = 1});
  for (std::size_t block = 0; block < layers.size(); ++block) {
    const std::string number = std::to_string(block + 1);
    std::vector<Features> parts{x};
    for (int layer = 1; layer <= variant.layers(layers[block]); ++layer) {
      const std::string path = "features.denseblock" + number + ".denselayer" + std::to_string(layer);
      parts.push_back(dense_layer(net, path, parts, variant.channels(growth)));
    }
    x = net.concat("features.denseblock" + number + ".concat", parts);
    if (block + 1 < layers.size()) x = transition(net, "features.transition" + number, x);
  }
  x = net.relu("relu", net.batch_norm("features.norm5", x));
  x = net.flatten("flatten", net.global_average_pool("avgpool", x));
  return net.finish(net.linear("classifier", x, 1000));
}

}  // namespace

std::vector<ZooNetwork> densenet_networks() {
  return {
      {"densenet121", "densenet", "DenseNet-121 (Huang et al. 2016), 1000 classes, 224x224",
       [](const ZooVariant& variant) {
         return densenet("densenet121", 64, 32, {6, 12, 24, 16}, variant);
       }},
      {"densenet161", "densenet", "DenseNet-161 (Huang et al. 2016), 1000 classes, 224x224",
       [](const ZooVariant& variant) {
         return densenet("densenet161", 96, 48, {6, 12, 36, 24}, variant);
       }},
      {"densenet169", "densenet", "DenseNet-169 (Huang et al. 2016), 1000 classes, 224x224",
       [](const ZooVariant& variant) {
         return densenet("densenet169", 64, 32, {6, 12, 32, 32}, variant);
       }},
      {"densenet201", "densenet", "DenseNet-201 (Huang et al. 2016), 1000 classes, 224x224",
       [](const ZooVariant& variant) {
         return densenet("densenet201", 64, 32, {6, 12, 48, 32}, variant);
       }},
  };
}

}  // namespace layersim::zoo
