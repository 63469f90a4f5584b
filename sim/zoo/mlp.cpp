// A multi-layer perceptron for the size of MNIST.

#include "sim/zoo/blocks.h"

namespace layersim::zoo {
namespace {

Graph mlp() {
  Net net("mlp");
  Features x = net.flatten("0", net.image(28, 1), 28 * 28);
  x = net.relu("2", net.linear("1", x, 512));
  x = net.relu("4", net.linear("3", x, 512));
  return net.finish(net.linear("5", x, 10));
}

}  // namespace

std::vector<ZooNetwork> mlp_networks() {
  return {{"mlp", "mlp", "Multi-layer perceptron, two hidden layers of 512, 10 classes, 28x28", mlp}};
}

}  // namespace layersim::zoo
