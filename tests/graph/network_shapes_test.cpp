// Real networks: every value gets a shape, at any batch.

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "sim/import/importer.h"
#include "tests/graph/inferred.h"
#include "tests/shared_files.h"

using namespace layersim;
using namespace layersim::tests;

namespace {

// "" or the first node whose output has an open size.
std::string first_open(const Graph& graph) {
  for (const Node& node : graph.nodes) {
    for (const ValueId id : node.outputs) {
      if (id == kNoValue || graph.value(id).sequence) continue;
      const auto& shape = graph.value(id).tensor.shape;
      if (!shape || !is_known(*shape)) return graph.describe(node);
    }
  }
  return "";
}

}  // namespace

TEST_CASE("no value of a real network stays without shape") {
  if (!have_shared("networks")) return;
  std::size_t networks = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(shared_path("networks"))) {
    if (entry.path().extension() != ".onnx") continue;
    ++networks;
    INFO(entry.path());
    Warnings warnings;
    const Graph imported = import_network(entry.path(), warnings);
    for (const std::int64_t batch : {1, 2}) {
      const Inferred result = infer(imported, {batch, {}, {}});
      CHECK(first_open(result.graph).empty());
      CHECK(result.all_warnings().empty());
      for (const ValueId id : result.graph.outputs) {
        CHECK(result.graph.value(id).tensor.shape->front() == batch);
      }
    }
  }
  CHECK(networks > 0);
}

// Turns Reshape targets into the numbers that they have at batch `exported`, and fixes the inputs to that
// batch, as an export without dynamic axes does. The shapes at another batch must be those of the original.
TEST_CASE("networks with a batch written into them come out as those without") {
  for (const char* file :
       {"networks/torchvision/vit_b_16.onnx", "networks/torchvision/swin_t.onnx",
        "networks/transformers/bert_large_512.onnx", "networks/misc/deepspeech2_like.onnx"}) {
    if (!have_shared(file)) return;
    INFO(file);
    Warnings warnings;
    const Graph original = import_network(shared_path(file), warnings);
    const Inferred wanted = infer(original, {6, {}, {}});
    for (const std::int64_t exported : {1, 2}) {
      const Inferred at_export = infer(original, {exported, {}, {}});
      Graph fixed = original;
      for (const ValueId id : fixed.inputs) (*fixed.value(id).declared)[0] = {exported, ""};
      for (std::size_t i = 0; i < fixed.nodes.size(); ++i) {
        if (fixed.nodes[i].op != "Reshape") continue;
        const Shape target = *at_export.graph.value(fixed.nodes[i].output(0)).tensor.shape;
        Value value{"target",
                    Origin::constant,
                    {DType::i64, Shape{static_cast<std::int64_t>(target.size())}, nullptr},
                    {},
                    {}};
        value.tensor.constant = std::make_shared<const Constant>(Constant{target, {}});
        fixed.nodes[i].inputs[1] = fixed.add_value(std::move(value));
      }
      const Inferred rescaled = infer(std::move(fixed), {6, {}, {}});
      std::size_t different = 0;
      for (std::size_t id = 0; id < original.values.size(); ++id) {
        if (rescaled.graph.values[id].tensor.shape != wanted.graph.values[id].tensor.shape) ++different;
      }
      CHECK(different == 0);
      CHECK(rescaled.warnings.all().size() == 2);
    }
  }
}
