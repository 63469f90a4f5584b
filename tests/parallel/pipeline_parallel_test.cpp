#include "sim/parallel/pipeline_parallel.h"

#include <catch2/catch.hpp>

#include "sim/core/error.h"

using namespace layersim;
using Catch::Matchers::Contains;

namespace {

struct Chain {
  Network network;
  NetworkTime time;
};

// Layers that take so long forward, and twice as long backward; each gives 1 MB to the next.
Chain chain(const std::vector<double>& forward_ms) {
  Chain result;
  for (const double ms : forward_ms) {
    Value value;
    value.tensor = {DType::f32, Shape{250000}, nullptr};
    Layer layer;
    layer.params = 10;
    layer.outputs = {result.network.graph.add_value(std::move(value))};
    result.network.layers.push_back(layer);
    LayerPrediction time;
    time.forward_ms = ms;
    time.backward_ms = 2 * ms;
    result.time.layers.push_back(time);
  }
  return result;
}

Cluster line(int devices) {
  Interconnect link;
  link.bandwidth_gb_s = 1;
  return {.devices = devices, .hosts = 1, .inside = link, .between = {}};
}

std::vector<std::size_t> first_layers(const std::vector<PipelineStage>& stages) {
  std::vector<std::size_t> first;
  for (const PipelineStage& stage : stages) first.push_back(stage.first_layer);
  return first;
}

}  // namespace

TEST_CASE("the slowest stage is as fast as it can be") {
  const Chain net = chain({1, 1, 1, 3, 1, 1});
  const auto stages = cut_into_stages(net.network, net.time, 3);
  CHECK(first_layers(stages) == std::vector<std::size_t>{0, 3, 4});
  CHECK(stages[1].forward_ms == Approx(3));
  CHECK(stages[1].backward_ms == Approx(6));
  CHECK(stages[0].params == 30);
  CHECK(stages[0].sent_bytes == 1e6);
  CHECK(stages[2].sent_bytes == 0);
}

TEST_CASE("as many stages as asked for, even where fewer would do") {
  const Chain net = chain({9, 1, 1, 1});
  CHECK(cut_into_stages(net.network, net.time, 4).size() == 4);
  CHECK(cut_into_stages(net.network, net.time, 3).size() == 3);
  CHECK(cut_into_stages(net.network, net.time, 1).size() == 1);
  CHECK_THROWS_WITH(cut_into_stages(net.network, net.time, 5),
                    Contains("4 layers cannot be cut into 5 stages"));
}

TEST_CASE("bubble and exchange of a pipeline") {
  const Chain net = chain({1, 1, 2, 1});
  const auto stages = cut_into_stages(net.network, net.time, 3);  // 2, 2, 1
  const PipelineTime training = pipeline_time(stages, true, line(3));
  CHECK(training.slowest.pass_ms() == Approx(6));
  CHECK(training.bubble_ms == Approx(15 - 6));
  CHECK(training.communication_ms == Approx(4));  // 1 MB at 1 GB/s, two cuts, both ways
  CHECK(pipeline_time(stages, false, line(3)).communication_ms == Approx(2));
}
