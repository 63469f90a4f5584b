// Batch norms that an export folded away: found where they were, not where there never were any, and put
// back.

#include <catch2/catch.hpp>

#include "expected_table.h"
#include "shared_files.h"
#include "sim/decompose/decompose.h"
#include "sim/decompose/rewriter.h"
#include "sim/import/importer.h"
#include "sim/zoo/zoo.h"

using namespace layersim;
using namespace layersim::tests;

namespace {

// What an export in evaluation mode does: a batch norm right behind a convolution becomes the bias of the
// convolution.
std::size_t fold_batchnorms(Graph& graph) {
  Warnings warnings;
  Rewriter rewriter(graph, warnings);
  std::size_t folded = 0;
  for (NodeIndex i = 0; i < rewriter.node_count(); ++i) {
    if (!rewriter.is_op(i, "BatchNormalization")) continue;
    const ValueId input = rewriter.node(i).input(0);
    const NodeIndex conv = rewriter.producer(input);
    if (!rewriter.is_op(conv, "Conv") || rewriter.only_consumer(input) != i) continue;
    const Value& scale = graph.value(rewriter.node(i).input(1));
    const ValueId bias =
        rewriter.add_value({"bias" + std::to_string(++folded), Origin::weight, scale.tensor, {}, {}});
    const ValueId result = rewriter.node(i).output(0);
    rewriter.remove(i);
    rewriter.set_input(conv, 2, bias);
    rewriter.set_output(conv, 0, result);
  }
  rewriter.compact();
  return folded;
}

bool warns_of_folding(const Network& network) {
  for (const std::string& warning : network.warnings.all()) {
    if (warning.find("folded batch norms") != std::string::npos) return true;
  }
  return false;
}

Network take_apart(Graph graph, bool assume_batchnorm = false) {
  DecomposeOptions options;
  options.training = true;
  options.assume_batchnorm = assume_batchnorm;
  return decompose(std::move(graph), options);
}

}  // namespace

TEST_CASE("no network of the zoo, which keep their norms, looks folded") {
  for (const ZooNetwork& network : zoo_networks()) {
    INFO(network.name);
    CHECK_FALSE(warns_of_folding(take_apart(network.build())));
  }
}

TEST_CASE("networks of the zoo with folded norms are recognised and restored") {
  for (const char* name :
       {"resnet18", "resnet50", "resnext50_32x4d", "mobilenet_v2", "mobilenet_v3_large", "mnasnet1_0",
        "shufflenet_v2_x1_0", "efficientnet_b0", "densenet121", "inception_v3", "googlenet"}) {
    INFO(name);
    const ZooNetwork* network = find_zoo_network(name);
    REQUIRE(network != nullptr);
    const Network original = take_apart(network->build());
    Graph graph = network->build();
    REQUIRE(fold_batchnorms(graph) > 0);
    CHECK(warns_of_folding(take_apart(graph)));
    const Network restored = take_apart(graph, true);
    CHECK_FALSE(warns_of_folding(restored));
    CHECK(restored.params == original.params);
    CHECK(restored.weight_bytes == original.weight_bytes);
    CHECK(restored.macs_max == original.macs_max);
    CHECK(restored.layers.size() == original.layers.size());
  }
}

TEST_CASE("exports with folded norms are recognised, others are not") {
  if (!have_shared("networks/expected.csv")) return;
  for (const ExpectedRow& row : read_expected(shared_path("networks/expected.csv").string())) {
    const std::string file = row.at("file");
    if (!file.ends_with(".onnx")) continue;
    INFO(file);
    Warnings warnings;
    const Graph graph = import_network(shared_path("networks/" + file), warnings);
    const bool folded =
        row.at("params") != row.at("params_in_file") && file.find("folded") != std::string::npos;
    CHECK(warns_of_folding(take_apart(graph)) == folded);
    if (folded) CHECK(take_apart(graph, true).params == std::stod(row.at("params")));
  }
}
