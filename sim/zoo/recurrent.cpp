#include "sim/zoo/recurrent.h"

namespace layersim::zoo {

Features recurrent(Net& net, const std::string& name, Recurrent type, Features x, std::int64_t hidden,
                   bool bidirectional) {
  const bool lstm = type == Recurrent::lstm;
  const std::int64_t directions = bidirectional ? 2 : 1;
  const std::int64_t rows = (lstm ? 4 : 3) * hidden;  // gates
  std::vector<Attribute> attributes{{"hidden_size", hidden}};
  if (bidirectional) attributes.push_back({"direction", std::string("bidirectional")});
  if (!lstm) attributes.push_back({"linear_before_reset", std::int64_t{1}});
  return net.node(lstm ? "LSTM" : "GRU", name,
                  {x.id, net.weight(name + ".weight_ih", {directions, rows, x.channels}),
                   net.weight(name + ".weight_hh", {directions, rows, hidden}),
                   net.weight(name + ".bias", {directions, 2 * rows})},
                  hidden, std::move(attributes));
}

}  // namespace layersim::zoo
