// ResNet (He et al. 2015) and its relatives: ResNeXt (Xie et al. 2016) with grouped, Wide ResNet (Zagoruyko &
// Komodakis 2016) with wider 3x3 convolutions. The stride of a bottleneck sits in its 3x3 convolution
// ("version 1.5").

#include <array>

#include "sim/zoo/blocks.h"

namespace layersim::zoo {
namespace {

struct ResNet {
  std::array<int, 4> blocks;  // per stage
  bool bottleneck = true;
  std::int64_t groups = 1;
  std::int64_t width_per_group = 64;
};

Features downsample(Net& net, const std::string& name, Features x, std::int64_t channels,
                    std::int64_t stride) {
  if (stride == 1 && x.channels == channels) return x;
  return net.conv_bn_act(name + ".downsample.0", name + ".downsample.1", x, channels, {.stride = stride},
                         Act::none);
}

// Two 3x3 convolutions.
Features basic_block(Net& net, const std::string& name, Features x, std::int64_t width, std::int64_t stride) {
  Features y =
      net.conv_bn_act(name + ".conv1", name + ".bn1", x, width, {.kernel = 3, .stride = stride}, Act::relu);
  y = net.conv_bn_act(name + ".conv2", name + ".bn2", y, width, {.kernel = 3}, Act::none);
  return net.relu(name + ".relu", net.add(name + ".add", y, downsample(net, name, x, width, stride)));
}

// 1x1, 3x3 and 1x1 convolutions; the last widens four times.
Features bottleneck_block(Net& net, const std::string& name, Features x, std::int64_t width,
                          std::int64_t stride, const ResNet& config) {
  const std::int64_t inner = width * config.width_per_group / 64 * config.groups;
  Features y = net.conv_bn_act(name + ".conv1", name + ".bn1", x, inner, {}, Act::relu);
  y = net.conv_bn_act(name + ".conv2", name + ".bn2", y, inner,
                      {.kernel = 3, .stride = stride, .groups = config.groups}, Act::relu);
  y = net.conv_bn_act(name + ".conv3", name + ".bn3", y, 4 * width, {}, Act::none);
  return net.relu(name + ".relu", net.add(name + ".add", y, downsample(net, name, x, 4 * width, stride)));
}

Graph resnet(std::string_view name, const ResNet& config, const ZooVariant& variant) {
  Net net(name);
  Features x = net.image(variant.size(224));
  x = net.conv_bn_act("conv1", "bn1", x, variant.channels(64), {.kernel = 7, .stride = 2}, Act::relu);
  x = net.max_pool("maxpool", x, {.kernel = 3, .padding = 1});
  for (std::size_t stage = 0; stage < config.blocks.size(); ++stage) {
    const std::int64_t width = variant.channels(std::int64_t{64} << stage);
    for (int block = 0; block < variant.layers(config.blocks[stage]); ++block) {
      const std::string block_name = "layer" + std::to_string(stage + 1) + "." + std::to_string(block);
      const std::int64_t stride = stage > 0 && block == 0 ? 2 : 1;
      x = config.bottleneck ? bottleneck_block(net, block_name, x, width, stride, config)
                            : basic_block(net, block_name, x, width, stride);
    }
  }
  x = net.flatten("flatten", net.global_average_pool("avgpool", x));
  return net.finish(net.linear("fc", x, 1000));
}

}  // namespace

std::vector<ZooNetwork> resnet_networks() {
  return {
      {"resnet18", "resnet", "ResNet-18 (He et al. 2015), 1000 classes, 224x224",
       [](const ZooVariant& variant) {
         return resnet("resnet18", {{2, 2, 2, 2}, false}, variant);
       }},
      {"resnet34", "resnet", "ResNet-34 (He et al. 2015), 1000 classes, 224x224",
       [](const ZooVariant& variant) {
         return resnet("resnet34", {{3, 4, 6, 3}, false}, variant);
       }},
      {"resnet50", "resnet", "ResNet-50 v1.5 (He et al. 2015), 1000 classes, 224x224",
       [](const ZooVariant& variant) {
         return resnet("resnet50", {{3, 4, 6, 3}}, variant);
       }},
      {"resnet101", "resnet", "ResNet-101 v1.5 (He et al. 2015), 1000 classes, 224x224",
       [](const ZooVariant& variant) {
         return resnet("resnet101", {{3, 4, 23, 3}}, variant);
       }},
      {"resnet152", "resnet", "ResNet-152 v1.5 (He et al. 2015), 1000 classes, 224x224",
       [](const ZooVariant& variant) {
         return resnet("resnet152", {{3, 8, 36, 3}}, variant);
       }},
      {"resnext50_32x4d", "resnet", "ResNeXt-50 32x4d (Xie et al. 2016), 1000 classes, 224x224",
       [](const ZooVariant& variant) {
         return resnet("resnext50_32x4d", {{3, 4, 6, 3}, true, 32, 4}, variant);
       }},
      {"resnext101_32x8d", "resnet", "ResNeXt-101 32x8d (Xie et al. 2016), 1000 classes, 224x224",
       [](const ZooVariant& variant) {
         return resnet("resnext101_32x8d", {{3, 4, 23, 3}, true, 32, 8}, variant);
       }},
      {"wide_resnet50_2", "resnet", "Wide ResNet-50-2 (Zagoruyko & Komodakis 2016), 1000 classes, 224x224",
       [](const ZooVariant& variant) {
         return resnet("wide_resnet50_2", {{3, 4, 6, 3}, true, 1, 128}, variant);
       }},
      {"wide_resnet101_2", "resnet", "Wide ResNet-101-2 (Zagoruyko & Komodakis 2016), 1000 classes, 224x224",
       [](const ZooVariant& variant) {
         return resnet("wide_resnet101_2", {{3, 4, 23, 3}, true, 1, 128}, variant);
       }},
  };
}

}  // namespace layersim::zoo
