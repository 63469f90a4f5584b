// An LSTM language model of the medium size of Zaremba et al. 2014.

#include "sim/zoo/recurrent.h"

namespace layersim::zoo {
namespace {

Graph lstm_lm() {
  constexpr std::int64_t kVocabulary = 10000;
  constexpr std::int64_t kHidden = 650;
  constexpr double kDropout = 0.5;
  Net net("lstm_lm");
  const ValueId ids = net.tokens("input_ids", 35);
  Features x = net.lookup("embed", net.table("embed", kVocabulary, kHidden), ids);
  x = net.transpose("time_first", net.dropout("drop.0", x, kDropout), {1, 0, 2});
  for (const std::string number : {"0", "1"}) {
    x = recurrent(net, "lstm." + number, Recurrent::lstm, x, kHidden, false);
    x = net.node("Squeeze", "squeeze." + number, {x.id, net.ints("squeeze." + number + ".axes", {1})},
                 kHidden);
    x = net.dropout("drop." + number + ".out", x, kDropout);
  }
  x = net.transpose("batch_first", x, {1, 0, 2});
  return net.finish(net.token_linear("proj", x, kVocabulary), "logits");
}

}  // namespace

std::vector<ZooNetwork> lstm_lm_networks() {
  return {{"lstm_lm", "lstm_lm", "LSTM language model (Zaremba et al. 2014), medium, 10000 words, 35 tokens",
           lstm_lm}};
}

}  // namespace layersim::zoo
