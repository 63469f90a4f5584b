// AlexNet in its one-column form (Krizhevsky 2014).

#include "sim/zoo/blocks.h"

namespace layersim::zoo {
namespace {

Graph alexnet() {
  Net net("alexnet");
  Features x = net.image(224);
  x = net.relu("features.1",
               net.conv("features.0", x, 64, {.kernel = 11, .stride = 4, .padding = 2, .bias = true}));
  x = net.max_pool("features.2", x, {.kernel = 3});
  x = net.relu("features.4", net.conv("features.3", x, 192, {.kernel = 5, .bias = true}));
  x = net.max_pool("features.5", x, {.kernel = 3});
  x = net.relu("features.7", net.conv("features.6", x, 384, {.kernel = 3, .bias = true}));
  x = net.relu("features.9", net.conv("features.8", x, 256, {.kernel = 3, .bias = true}));
  x = net.relu("features.11", net.conv("features.10", x, 256, {.kernel = 3, .bias = true}));
  x = net.max_pool("features.12", x, {.kernel = 3});
  x = net.average_pool("avgpool", x, {.kernel = 1, .stride = 1});
  x = net.flatten("flatten", x, 6 * 6);
  x = net.dropout("classifier.0", x, 0.5);
  x = net.relu("classifier.2", net.linear("classifier.1", x, 4096));
  x = net.dropout("classifier.3", x, 0.5);
  x = net.relu("classifier.5", net.linear("classifier.4", x, 4096));
  return net.finish(net.linear("classifier.6", x, 1000));
}

}  // namespace

std::vector<ZooNetwork> alexnet_networks() {
  return {{"alexnet", "alexnet", "AlexNet (Krizhevsky 2014), 1000 classes, 224x224", alexnet}};
}

}  // namespace layersim::zoo
