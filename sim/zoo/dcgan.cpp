// Generator of DCGAN (Radford et al. 2015): transposed convolutions from 100 random numbers to an image.

#include "sim/zoo/blocks.h"

namespace layersim::zoo {
namespace {

Graph dcgan_generator() {
  Net net("dcgan_generator");
  int index = 0;
  const auto next = [&index] { return std::to_string(index++); };
  Features x = net.conv_transpose(next(), net.image(1, 100), 512, {.kernel = 4, .padding = 0});
  for (const std::int64_t channels : {256, 128, 64, 3}) {
    x = net.batch_norm(next(), x);
    x = net.relu(next(), x);
    x = net.conv_transpose(next(), x, channels, {.kernel = 4, .stride = 2, .padding = 1});
  }
  return net.finish(net.activation(next(), x, Act::tanh));
}

}  // namespace

std::vector<ZooNetwork> dcgan_networks() {
  return {{"dcgan_generator", "dcgan", "DCGAN generator (Radford et al. 2015), 100 numbers to 3x64x64",
           dcgan_generator}};
}

}  // namespace layersim::zoo
