// LeNet-5 (LeCun et al. 1998), with dense layers where the paper's last convolution covers the whole image.

#include "sim/zoo/blocks.h"

namespace layersim::zoo {
namespace {

Graph lenet5() {
  Net net("lenet5");
  Features x = net.image(32, 1);
  x = net.conv("conv1", x, 6, {.kernel = 5, .padding = 0, .bias = true});
  x = net.average_pool("pool1", net.activation("tanh1", x, Act::tanh), {});
  x = net.conv("conv2", x, 16, {.kernel = 5, .padding = 0, .bias = true});
  x = net.average_pool("pool2", net.activation("tanh2", x, Act::tanh), {});
  x = net.flatten("flatten", x, 5 * 5);
  x = net.activation("tanh3", net.linear("fc1", x, 120), Act::tanh);
  x = net.activation("tanh4", net.linear("fc2", x, 84), Act::tanh);
  return net.finish(net.linear("fc3", x, 10));
}

}  // namespace

std::vector<ZooNetwork> lenet_networks() {
  return {{"lenet5", "lenet", "LeNet-5 (LeCun et al. 1998), 10 classes, 1 channel, 32x32", lenet5}};
}

}  // namespace layersim::zoo
