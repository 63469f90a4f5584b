// Inception v3 (Szegedy et al. 2015) without the auxiliary classifier. Module letters as in torchvision.

#include "sim/zoo/blocks.h"

namespace layersim::zoo {
namespace {

Features conv(Net& net, const std::string& name, Features x, std::int64_t channels,
              const ConvOptions& options = {}) {
  return net.conv_bn_act(name + ".conv", name + ".bn", x, channels, options, Act::relu);
}

// 3x3, stride 1. Zeros at the border count in the average, which exporters write as a Pad of its own.
Features same_average_pool(Net& net, const std::string& name, Features x) {
  const ValueId pads = net.ints(name + ".pads", {0, 0, 1, 1, 0, 0, 1, 1});
  x = net.node("Pad", name + ".pad", {x.id, pads}, x.channels);
  return net.average_pool(name + ".avg_pool", x, {.kernel = 3, .stride = 1});
}

Features inception_a(Net& net, const std::string& name, Features x, std::int64_t pool_channels) {
  const std::string path = name + ".branch";
  const Features b1 = conv(net, path + "1x1", x, 64);
  const Features b5 = conv(net, path + "5x5_2", conv(net, path + "5x5_1", x, 48), 64, {.kernel = 5});
  Features b3 = conv(net, path + "3x3dbl_1", x, 64);
  b3 = conv(net, path + "3x3dbl_2", b3, 96, {.kernel = 3});
  b3 = conv(net, path + "3x3dbl_3", b3, 96, {.kernel = 3});
  const Features pool = conv(net, path + "_pool", same_average_pool(net, name, x), pool_channels);
  return net.concat(name + ".concat", {b1, b5, b3, pool});
}

Features inception_b(Net& net, const std::string& name, Features x) {
  const std::string path = name + ".branch";
  const Features b3 = conv(net, path + "3x3", x, 384, {.kernel = 3, .stride = 2, .padding = 0});
  Features b33 = conv(net, path + "3x3dbl_1", x, 64);
  b33 = conv(net, path + "3x3dbl_2", b33, 96, {.kernel = 3});
  b33 = conv(net, path + "3x3dbl_3", b33, 96, {.kernel = 3, .stride = 2, .padding = 0});
  return net.concat(name + ".concat", {b3, b33, net.max_pool(name + ".max_pool", x, {.kernel = 3})});
}

constexpr Extent kRow{1, 7};
constexpr Extent kColumn{7, 1};

Features inception_c(Net& net, const std::string& name, Features x, std::int64_t inner) {
  const std::string path = name + ".branch";
  const Features b1 = conv(net, path + "1x1", x, 192);
  Features b7 = conv(net, path + "7x7_1", x, inner);
  b7 = conv(net, path + "7x7_2", b7, inner, {.kernel = kRow});
  b7 = conv(net, path + "7x7_3", b7, 192, {.kernel = kColumn});
  Features b77 = conv(net, path + "7x7dbl_1", x, inner);
  b77 = conv(net, path + "7x7dbl_2", b77, inner, {.kernel = kColumn});
  b77 = conv(net, path + "7x7dbl_3", b77, inner, {.kernel = kRow});
  b77 = conv(net, path + "7x7dbl_4", b77, inner, {.kernel = kColumn});
  b77 = conv(net, path + "7x7dbl_5", b77, 192, {.kernel = kRow});
  const Features pool = conv(net, path + "_pool", same_average_pool(net, name, x), 192);
  return net.concat(name + ".concat", {b1, b7, b77, pool});
}

Features inception_d(Net& net, const std::string& name, Features x) {
  const std::string path = name + ".branch";
  const Features b3 = conv(net, path + "3x3_2", conv(net, path + "3x3_1", x, 192), 320,
                           {.kernel = 3, .stride = 2, .padding = 0});
  Features b7 = conv(net, path + "7x7x3_1", x, 192);
  b7 = conv(net, path + "7x7x3_2", b7, 192, {.kernel = kRow});
  b7 = conv(net, path + "7x7x3_3", b7, 192, {.kernel = kColumn});
  b7 = conv(net, path + "7x7x3_4", b7, 192, {.kernel = 3, .stride = 2, .padding = 0});
  return net.concat(name + ".concat", {b3, b7, net.max_pool(name + ".max_pool", x, {.kernel = 3})});
}

// The last 3x3 convolutions are split into 1x3 and 3x1 side by side.
Features inception_e(Net& net, const std::string& name, Features x) {
  constexpr Extent kRow3{1, 3};
  constexpr Extent kColumn3{3, 1};
  const std::string path = name + ".branch";
  const Features b1 = conv(net, path + "1x1", x, 320);
  const Features b3 = conv(net, path + "3x3_1", x, 384);
  const Features b3a = conv(net, path + "3x3_2a", b3, 384, {.kernel = kRow3});
  const Features b3b = conv(net, path + "3x3_2b", b3, 384, {.kernel = kColumn3});
  const Features b33 = conv(net, path + "3x3dbl_2", conv(net, path + "3x3dbl_1", x, 448), 384, {.kernel = 3});
  const Features b33a = conv(net, path + "3x3dbl_3a", b33, 384, {.kernel = kRow3});
  const Features b33b = conv(net, path + "3x3dbl_3b", b33, 384, {.kernel = kColumn3});
  const Features pool = conv(net, path + "_pool", same_average_pool(net, name, x), 192);
  return net.concat(name + ".concat", {b1, b3a, b3b, b33a, b33b, pool});
}

Graph inception_v3() {
  Net net("inception_v3");
  Features x = net.image(299);
  x = conv(net, "Conv2d_1a_3x3", x, 32, {.kernel = 3, .stride = 2, .padding = 0});
  x = conv(net, "Conv2d_2a_3x3", x, 32, {.kernel = 3, .padding = 0});
  x = conv(net, "Conv2d_2b_3x3", x, 64, {.kernel = 3});
  x = net.max_pool("maxpool1", x, {.kernel = 3});
  x = conv(net, "Conv2d_3b_1x1", x, 80);
  x = conv(net, "Conv2d_4a_3x3", x, 192, {.kernel = 3, .padding = 0});
  x = net.max_pool("maxpool2", x, {.kernel = 3});
  x = inception_a(net, "Mixed_5b", x, 32);
  x = inception_a(net, "Mixed_5c", x, 64);
  x = inception_a(net, "Mixed_5d", x, 64);
  x = inception_b(net, "Mixed_6a", x);
  x = inception_c(net, "Mixed_6b", x, 128);
  x = inception_c(net, "Mixed_6c", x, 160);
  x = inception_c(net, "Mixed_6d", x, 160);
  x = inception_c(net, "Mixed_6e", x, 192);
  x = inception_d(net, "Mixed_7a", x);
  x = inception_e(net, "Mixed_7b", x);
  x = inception_e(net, "Mixed_7c", x);
  x = net.dropout("dropout", net.global_average_pool("avgpool", x), 0.5);
  return net.finish(net.linear("fc", net.flatten("flatten", x), 1000));
}

}  // namespace

std::vector<ZooNetwork> inception_networks() {
  return {{"inception_v3", "inception", "Inception v3 (Szegedy et al. 2015), 1000 classes, 299x299",
           inception_v3}};
}

}  // namespace layersim::zoo
