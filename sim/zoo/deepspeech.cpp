// Deep Speech 2 (Amodei et al. 2015): two convolutions over the spectrogram, five bidirectional recurrent
// layers whose directions are summed, and a dense layer over 29 characters.

#include "sim/zoo/recurrent.h"

namespace layersim::zoo {
namespace {

Features conv_block(Net& net, const std::string& conv, const std::string& norm, Features x,
                    const ConvOptions& options) {
  x = net.batch_norm(norm, net.conv(conv, x, 32, options));
  return net.node("Clip", norm + ".clip",
                  {x.id, net.scalar(norm + ".clip.min", 0.0), net.scalar(norm + ".clip.max", 20.0)},
                  x.channels);
}

Graph deepspeech2() {
  constexpr std::int64_t kHidden = 800;
  constexpr std::int64_t kBands = 41;  // of 161, after two strides of 2
  constexpr Extent kFirstStride{2, 2};
  constexpr Extent kSecondStride{2, 1};
  Net net("deepspeech2");
  Features x = net.image({161, 300}, 1);
  x = conv_block(net, "conv.0", "conv.1", x, {.kernel = {41, 11}, .stride = kFirstStride, .bias = true});
  x = conv_block(net, "conv.3", "conv.4", x, {.kernel = {21, 11}, .stride = kSecondStride, .bias = true});
  x.channels *= kBands;
  x = net.transpose("time_first", net.reshape("merge_bands", x, {0, x.channels, -1}), {2, 0, 1});
  for (int i = 0; i < 5; ++i) {
    const std::string name = "grus." + std::to_string(i);
    x = recurrent(net, name, Recurrent::gru, x, kHidden, true);
    const ValueId directions = net.ints(name + ".sum.axes", {1});
    x = net.node("ReduceSum", name + ".sum", {x.id, directions}, kHidden, {{"keepdims", std::int64_t{0}}});
  }
  x = net.transpose("batch_first", x, {1, 0, 2});
  return net.finish(net.token_linear("fc", x, 29), "logits");
}

}  // namespace

std::vector<ZooNetwork> deepspeech_networks() {
  return {{"deepspeech2", "deepspeech",
           "Deep Speech 2 (Amodei et al. 2015), 5 GRUs of 800, 161 bands, 300 frames", deepspeech2}};
}

}  // namespace layersim::zoo
