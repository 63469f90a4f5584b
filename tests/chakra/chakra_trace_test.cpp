#include "sim/chakra/chakra_trace.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "sim/core/error.h"
#include "sim/pipeline.h"

using namespace layersim;
using Catch::Matchers::Contains;

namespace {

Report resnet(int gpus, Mode mode = Mode::training) {
  NetworkOptions network;
  network.network = "resnet18";
  network.bindings.batch = 8 * gpus;
  RunOptions options;
  options.mode = mode;
  options.method = "roofline";
  options.parallel.cluster.devices = gpus;
  const Device device = load_device({.gpu = "v100-sxm2", .gpu_file = {}});
  return predict(load_network(network, mode), network, device, options);
}

}  // namespace

TEST_CASE("a trace reads back: every node behind those that it needs, times and bytes of the step") {
  const Report report = resnet(4);
  const std::vector<ChakraNode> nodes = read_chakra(to_chakra(report));
  std::set<std::uint64_t> seen;
  double computed_us = 0;
  double summed_bytes = 0;
  int sums = 0;
  for (const ChakraNode& node : nodes) {
    INFO(node.name);
    CHECK(seen.size() == node.id);
    for (const std::uint64_t dependency : node.dependencies) CHECK(seen.count(dependency) == 1);
    seen.insert(node.id);
    computed_us += static_cast<double>(node.duration_us);
    if (!node.is_collective) continue;
    ++sums;
    summed_bytes += static_cast<double>(node.bytes);
  }
  const RunReport& run = *report.run;
  CHECK(computed_us == Approx(1000 * (run.forward_ms + run.backward_ms + run.optimizer_ms)).margin(1));
  CHECK(summed_bytes == report.network.params * 4);
  CHECK(sums == static_cast<int>(run.parallel->buckets.size()));
  CHECK(sums >= 3);  // 47 MB in buckets of 1 and 25 MiB
}

TEST_CASE("sums follow the layer that fills them, and the update waits for all of them") {
  const std::vector<ChakraNode> nodes = read_chakra(to_chakra(resnet(2)));
  const auto by_name = [&](const std::string& name) {
    const auto found =
        std::find_if(nodes.begin(), nodes.end(), [&](const auto& node) { return node.name == name; });
    REQUIRE(found != nodes.end());
    return *found;
  };
  // The first bucket is that of the classifier, the layer before it in the trace.
  const ChakraNode first_sum = by_name("gradients 0");
  CHECK(nodes[first_sum.dependencies.front()].name == "backward fc");
  std::set<std::uint64_t> sums;
  for (const ChakraNode& node : nodes) {
    if (node.is_collective) sums.insert(node.id);
  }
  const auto update = std::find_if(nodes.begin(), nodes.end(),
                                   [](const auto& node) { return node.name.starts_with("update "); });
  REQUIRE(update != nodes.end());
  for (const std::uint64_t sum : sums)
    CHECK(std::count(update->dependencies.begin(), update->dependencies.end(), sum) == 1);
}

TEST_CASE("only data parallel training has such a trace") {
  CHECK_THROWS_WITH(to_chakra(resnet(1)), Contains("--n-gpus N --parallel ddp"));
  CHECK_THROWS_WITH(to_chakra(resnet(2, Mode::forward)), Contains("--parallel ddp"));
}

TEST_CASE("a damaged trace is refused") {
  const std::string trace = to_chakra(resnet(2));
  CHECK_THROWS_AS(read_chakra(trace.substr(0, trace.size() - 3)), Error);
  CHECK_THROWS_AS(read_chakra(""), Error);
}
