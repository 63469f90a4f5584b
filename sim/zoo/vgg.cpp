// VGG (Simonyan & Zisserman 2014): five stages of 3x3 convolutions, each ended by a pooling, and three dense
// layers.

#include <array>

#include "sim/zoo/blocks.h"

namespace layersim::zoo {
namespace {

Graph vgg(std::string_view name, const std::array<int, 5>& convolutions, bool batch_norm,
          const ZooVariant& variant) {
  constexpr std::array<std::int64_t, 5> kChannels{64, 128, 256, 512, 512};
  Net net(name);
  const std::int64_t size = variant.size(224);
  Features x = net.image(size);
  int index = 0;
  const auto next = [&index] { return "features." + std::to_string(index++); };
  for (std::size_t stage = 0; stage < kChannels.size(); ++stage) {
    for (int i = 0; i < variant.layers(convolutions[stage]); ++i) {
      x = net.conv(next(), x, variant.channels(kChannels[stage]), {.kernel = 3, .bias = true});
      if (batch_norm) x = net.batch_norm(next(), x);
      x = net.relu(next(), x);
    }
    x = net.max_pool(next(), x, {});
  }
  x = net.average_pool("avgpool", x, {.kernel = 1, .stride = 1});
  const std::int64_t rows = size / 32;  // halved by five poolings
  x = net.flatten("flatten", x, rows * rows);
  x = net.relu("classifier.1", net.linear("classifier.0", x, variant.channels(4096)));
  x = net.dropout("classifier.2", x, 0.5);
  x = net.relu("classifier.4", net.linear("classifier.3", x, variant.channels(4096)));
  x = net.dropout("classifier.5", x, 0.5);
  return net.finish(net.linear("classifier.6", x, 1000));
}

}  // namespace

std::vector<ZooNetwork> vgg_networks() {
  return {
      {"vgg11", "vgg", "VGG-11 (Simonyan & Zisserman 2014), 1000 classes, 224x224",
       [](const ZooVariant& variant) {
         return vgg("vgg11", {1, 1, 2, 2, 2}, false, variant);
       }},
      {"vgg11_bn", "vgg", "VGG-11 with batch normalization, 1000 classes, 224x224",
       [](const ZooVariant& variant) {
         return vgg("vgg11_bn", {1, 1, 2, 2, 2}, true, variant);
       }},
      {"vgg13", "vgg", "VGG-13 (Simonyan & Zisserman 2014), 1000 classes, 224x224",
       [](const ZooVariant& variant) {
         return vgg("vgg13", {2, 2, 2, 2, 2}, false, variant);
       }},
      {"vgg13_bn", "vgg", "VGG-13 with batch normalization, 1000 classes, 224x224",
       [](const ZooVariant& variant) {
         return vgg("vgg13_bn", {2, 2, 2, 2, 2}, true, variant);
       }},
      {"vgg16", "vgg", "VGG-16 (Simonyan & Zisserman 2014), 1000 classes, 224x224",
       [](const ZooVariant& variant) {
         return vgg("vgg16", {2, 2, 3, 3, 3}, false, variant);
       }},
      {"vgg16_bn", "vgg", "VGG-16 with batch normalization, 1000 classes, 224x224",
       [](const ZooVariant& variant) {
         return vgg("vgg16_bn", {2, 2, 3, 3, 3}, true, variant);
       }},
      {"vgg19", "vgg", "VGG-19 (Simonyan & Zisserman 2014), 1000 classes, 224x224",
       [](const ZooVariant& variant) {
         return vgg("vgg19", {2, 2, 4, 4, 4}, false, variant);
       }},
      {"vgg19_bn", "vgg", "VGG-19 with batch normalization, 1000 classes, 224x224",
       [](const ZooVariant& variant) {
         return vgg("vgg19_bn", {2, 2, 4, 4, 4}, true, variant);
       }},
  };
}

}  // namespace layersim::zoo
