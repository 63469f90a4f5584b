// RegNet (Radosavovic et al. 2020): residual blocks with grouped convolutions whose widths follow a quantized
// line; the Y networks add squeeze-and-excitation.

#include <algorithm>
#include <cmath>

#include "sim/zoo/blocks.h"

namespace layersim::zoo {
namespace {

struct RegNet {
  int depth;
  double first_width, slope, step;  // w_0, w_a, w_m of the paper
  std::int64_t group_width;
  bool squeeze;
};

// Width of each block: the line first_width + slope * i, rounded to first_width * step^k, then to multiples
// of 8 and of the group width.
std::vector<std::int64_t> block_widths(const RegNet& config) {
  std::vector<std::int64_t> widths;
  for (int i = 0; i < config.depth; ++i) {
    const double line = config.first_width + config.slope * i;
    const double power = std::nearbyint(std::log(line / config.first_width) / std::log(config.step));
    const double width = std::nearbyint(config.first_width * std::pow(config.step, power) / 8) * 8;
    const double group = std::min(static_cast<double>(config.group_width), width);
    double rounded = std::max(group, std::floor((width + group / 2) / group) * group);
    if (rounded < 0.9 * width) rounded += group;
    widths.push_back(static_cast<std::int64_t>(rounded));
  }
  return widths;
}

Features block(Net& net, const std::string& name, Features x, std::int64_t width, std::int64_t stride,
               const RegNet& config) {
  const std::int64_t groups = width / std::min(width, config.group_width);
  Features shortcut = x;
  if (stride != 1 || x.channels != width) {
    shortcut = net.conv_bn_act(name + ".proj", x, width, {.stride = stride}, Act::none);
  }
  Features y = net.conv_bn_act(name + ".f.a", x, width, {}, Act::relu);
  y = net.conv_bn_act(name + ".f.b", y, width, {.kernel = 3, .stride = stride, .groups = groups}, Act::relu);
  if (config.squeeze) {
    const auto squeezed = static_cast<std::int64_t>(std::nearbyint(0.25 * static_cast<double>(x.channels)));
    y = net.squeeze_excite(name + ".f.se", y, squeezed, Act::relu, Act::sigmoid);
  }
  y = net.conv_bn_act(name + ".f.c", y, width, {}, Act::none);
  return net.relu(name + ".activation", net.add(name + ".add", shortcut, y));
}

Graph regnet(std::string_view name, const RegNet& config) {
  Net net(name);
  Features x = net.conv_bn_act("stem", net.image(224), 32, {.kernel = 3, .stride = 2}, Act::relu);
  int stage = 0;
  int index = 0;
  std::int64_t last_width = 0;
  for (const std::int64_t width : block_widths(config)) {
    const bool first = width != last_width;
    if (first) {
      ++stage;
      index = 0;
      last_width = width;
    }
    const std::string stage_name = "block" + std::to_string(stage);
    x = block(net, "trunk_output." + stage_name + "." + stage_name + "-" + std::to_string(index++), x, width,
              first ? 2 : 1, config);
  }
  x = net.flatten("flatten", net.global_average_pool("avgpool", x));
  return net.finish(net.linear("fc", x, 1000));
}

}  // namespace

std::vector<ZooNetwork> regnet_networks() {
  return {
      {"regnet_x_400mf", "regnet", "RegNetX-400MF (Radosavovic et al. 2020), 1000 classes, 224x224",
       [] {
         return regnet("regnet_x_400mf", {22, 24, 24.48, 2.54, 16, false});
       }},
      {"regnet_x_800mf", "regnet", "RegNetX-800MF (Radosavovic et al. 2020), 1000 classes, 224x224",
       [] {
         return regnet("regnet_x_800mf", {16, 56, 35.73, 2.28, 16, false});
       }},
      {"regnet_x_1_6gf", "regnet", "RegNetX-1.6GF (Radosavovic et al. 2020), 1000 classes, 224x224",
       [] {
         return regnet("regnet_x_1_6gf", {18, 80, 34.01, 2.25, 24, false});
       }},
      {"regnet_x_3_2gf", "regnet", "RegNetX-3.2GF (Radosavovic et al. 2020), 1000 classes, 224x224",
       [] {
         return regnet("regnet_x_3_2gf", {25, 88, 26.31, 2.25, 48, false});
       }},
      {"regnet_x_8gf", "regnet", "RegNetX-8GF (Radosavovic et al. 2020), 1000 classes, 224x224",
       [] {
         return regnet("regnet_x_8gf", {23, 80, 49.56, 2.88, 120, false});
       }},
      {"regnet_y_400mf", "regnet", "RegNetY-400MF (Radosavovic et al. 2020), 1000 classes, 224x224",
       [] {
         return regnet("regnet_y_400mf", {16, 48, 27.89, 2.09, 8, true});
       }},
      {"regnet_y_800mf", "regnet", "RegNetY-800MF (Radosavovic et al. 2020), 1000 classes, 224x224",
       [] {
         return regnet("regnet_y_800mf", {14, 56, 38.84, 2.4, 16, true});
       }},
      {"regnet_y_1_6gf", "regnet", "RegNetY-1.6GF (Radosavovic et al. 2020), 1000 classes, 224x224",
       [] {
         return regnet("regnet_y_1_6gf", {27, 48, 20.71, 2.65, 24, true});
       }},
      {"regnet_y_3_2gf", "regnet", "RegNetY-3.2GF (Radosavovic et al. 2020), 1000 classes, 224x224",
       [] {
         return regnet("regnet_y_3_2gf", {21, 80, 42.63, 2.66, 24, true});
       }},
      {"regnet_y_8gf", "regnet", "RegNetY-8GF (Radosavovic et al. 2020), 1000 classes, 224x224",
       [] {
         return regnet("regnet_y_8gf", {17, 192, 76.82, 2.19, 56, true});
       }},
  };
}

}  // namespace layersim::zoo
