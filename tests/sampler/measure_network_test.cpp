// What is made of a network's times, with times that are known.

#include "sampler/network/measure_network.h"

#include <catch2/catch.hpp>

#include "sampler/network/measurement_formats.h"
#include "sim/runs/blame.h"
#include "sim/runs/run_table.h"
#include "tests/network_from_text.h"
#include "tests/store/temporary_folder.h"

using namespace layersim;
using namespace layersim::tests;

namespace {

constexpr const char* kText = R"(
input x f32 [2, 8]
weight w f32 [8, 4]
constant flat i64 [1] = {8}
a = MatMul(x, w) name "product"
b = Relu(a) name "relu"
c = Reshape(b, flat) name "view"
y = Exp(c) name "exp"
output y)";

// The nth batch takes n ms for each node, one more for each node behind it.
class CountingNetwork : public RunnableNetwork {
 public:
  explicit CountingNetwork(const Graph& graph) : nodes_(graph.nodes.size()) {}

  double run(int batches) override { return 10.0 * batches; }
  std::vector<NodeTime> time_nodes() override {
    ++asked_;
    std::vector<NodeTime> times(nodes_);
    for (std::size_t i = 0; i < nodes_; ++i) times[i].forward_ms = asked_ + static_cast<double>(i);
    return times;
  }
  [[nodiscard]] const RunLibrary& library() const override { return library_; }

 private:
  std::size_t nodes_;
  double asked_ = 0;
  RunLibrary library_{.stack = "libtorch1.13", .version = "1.13.1", .products = "oneDNN, BLAS"};
};

NetworkMeasurement measured(const Network& network) {
  return measure_network(
      network, {.settings = {}, .protocol = {}, .with_layers = true},
      [](const Graph& graph, const NetworkRunSettings&) { return std::make_unique<CountingNetwork>(graph); });
}

}  // namespace

TEST_CASE("a measured network has the median of its batches and of each layer") {
  const Network network = take_apart(kText);
  const NetworkMeasurement measurement = measured(network);
  CHECK(measurement.batch.median_ms == Approx(10));
  REQUIRE(measurement.layers.size() == network.layers.size());
  // The first asking warms up; of the other five (2 to 6) the median is 4. Nodes: product, view, exp.
  REQUIRE(network.graph.nodes.size() == 3);
  CHECK(measurement.layers[0].name == "product");
  CHECK(measurement.layers[0].time.forward_ms == Approx(4));
  CHECK(measurement.layers[1].name == "exp");
  CHECK(measurement.layers[1].time.forward_ms == Approx(6));
  CHECK(measurement.other_ms == Approx(5));
}

TEST_CASE("a batch that memory has no room for is not begun") {
  const Network network = take_apart(kText);
  MeasureOptions options{.settings = {}, .protocol = {}, .with_layers = false, .available_mib = 1e-4};
  bool made = false;
  const MakeRunnable make = [&](const Graph& graph, const NetworkRunSettings&) {
    made = true;
    return std::make_unique<CountingNetwork>(graph);
  };
  CHECK_THROWS_WITH(measure_network(network, options, make),
                    Catch::Contains("does not fit into memory") && Catch::Contains("smaller --batch"));
  CHECK_FALSE(made);
  options.available_mib = 1;
  CHECK_NOTHROW(measure_network(network, options, make));
  CHECK(made);
}

TEST_CASE("rows of measured runs are what validate reads") {
  const NetworkMeasurement measurement = measured(take_apart(kText));
  const TemporaryFolder folder;
  const RunLabels labels{.network = "vgg11",
                         .gpu = "cpu-epyc-9755",
                         .batch = 2,
                         .dim = "",
                         .input = "1x3x32x32",
                         .layer_times = "",
                         .date = "2026-11-30T05:00:00Z"};

  const RunTable runs = read_run_table(folder.write("runs.csv", run_header() + run_row(measurement, labels)));
  REQUIRE(runs.runs.size() == 1);
  const Run& run = runs.runs.front();
  CHECK(run.network_name == "vgg11");
  CHECK(run.device->key == "cpu-epyc-9755");
  CHECK(run.stack == "libtorch1.13");
  CHECK(run.precision == Precision::fp32);
  CHECK(run.mode == Mode::training);
  CHECK(run.optimizer == Optimizer::sgd);
  CHECK(run.batch == 2);
  CHECK(run.measured_ms == Approx(10));
  CHECK(run.bindings.inputs.at("") == Shape{1, 3, 32, 32});
}

TEST_CASE("times of layers are what validate --blame reads") {
  const Network network = take_apart(kText);
  const TemporaryFolder folder;
  const std::string file = folder.write("layers.csv", layer_times_csv(measured(network)));
  const Blame blame = blame_layers(file, network, std::vector<LayerPrediction>(network.layers.size()));
  CHECK(blame.unmatched.empty());
  REQUIRE(blame.layers.size() == 2);
  CHECK(blame.layers[0].measured_ms + blame.layers[1].measured_ms == Approx(10));
}
