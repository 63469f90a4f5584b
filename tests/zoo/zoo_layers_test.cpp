// The zoo's networks as layers: against exports of the same networks, through a file and back, at another
// length.

#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/decompose/decompose.h"
#include "sim/import/importer.h"
#include "sim/zoo/zoo.h"
#include "tests/shared_files.h"

using namespace layersim;

namespace {

std::string describe(const Layer& layer) {
  if (layer.problem.kind == nullptr) return "unmodelled " + layer.op;
  std::string text(layer.problem.kind->name);
  for (const std::int64_t size : layer.problem.sizes) text += " " + std::to_string(size);
  return text + " " + std::string(name(layer.problem.activation));
}

using Descriptions = std::vector<std::string>;

Descriptions every_layer(const Network& network) {
  Descriptions texts;
  for (const Layer& layer : network.layers) texts.push_back(describe(layer));
  return texts;
}

// An evaluation-mode export has no dropouts.
Descriptions without_dropout(const Network& network) {
  Descriptions texts;
  for (const Layer& layer : network.layers) {
    if (layer.op != "Dropout") texts.push_back(describe(layer));
  }
  return texts;
}

Descriptions in_any_order(const Network& network) {
  Descriptions texts = without_dropout(network);
  std::sort(texts.begin(), texts.end());
  return texts;
}

// Data movement, and normalization in older opsets, can be spelled in several ways; these can not.
Descriptions main_layers(const Network& network) {
  static const std::set<std::string_view> kKinds{"conv", "conv_transpose", "dense",    "matmul",
                                                 "pool", "recurrent",      "embedding"};
  Descriptions texts;
  for (const Layer& layer : network.layers) {
    if (layer.problem.kind != nullptr && kKinds.count(layer.problem.kind->name) == 1)
      texts.push_back(describe(layer));
  }
  return texts;
}

Network zoo_layers(std::string_view name, const ShapeBindings& bindings) {
  const ZooNetwork* network = find_zoo_network(name);
  REQUIRE(network != nullptr);
  return decompose(network->build(), {.bindings = bindings, .freeze = {}});
}

Network file_layers(const std::filesystem::path& file, const ShapeBindings& bindings) {
  Warnings warnings;
  return decompose(import_network(file, warnings), {.bindings = bindings, .freeze = {}}, warnings);
}

struct Export {
  const char* zoo_name;
  const char* file;
  Descriptions (*compared)(const Network&);
};
const Export kExports[] = {
    {"alexnet", "torchvision/alexnet", without_dropout},
    {"vgg11", "torchvision/vgg11", without_dropout},
    {"vgg13", "torchvision/vgg13", without_dropout},
    {"vgg16", "torchvision/vgg16", without_dropout},
    {"vgg16_bn", "torchvision/vgg16_bn", without_dropout},
    {"vgg19", "torchvision/vgg19", without_dropout},
    {"vgg19_bn", "torchvision/vgg19_bn", without_dropout},
    {"googlenet", "torchvision/googlenet", without_dropout},
    {"inception_v3", "torchvision/inception_v3", without_dropout},
    {"resnet18", "torchvision/resnet18", without_dropout},
    {"resnet34", "torchvision/resnet34", without_dropout},
    {"resnet50", "torchvision/resnet50", without_dropout},
    {"resnet152", "torchvision/resnet152", without_dropout},
    {"resnext50_32x4d", "torchvision/resnext50_32x4d", without_dropout},
    {"wide_resnet50_2", "torchvision/wide_resnet50_2", without_dropout},
    {"densenet121", "torchvision/densenet121", without_dropout},
    {"densenet161", "torchvision/densenet161", without_dropout},
    {"densenet201", "torchvision/densenet201", without_dropout},
    {"squeezenet1_0", "torchvision/squeezenet1_0", without_dropout},
    {"squeezenet1_1", "torchvision/squeezenet1_1", without_dropout},
    {"mobilenet_v2", "torchvision/mobilenet_v2", without_dropout},
    {"mobilenet_v3_large", "torchvision/mobilenet_v3_large", without_dropout},
    {"mnasnet0_5", "torchvision/mnasnet0_5", without_dropout},
    {"mnasnet0_75", "torchvision/mnasnet0_75", without_dropout},
    {"mnasnet1_3", "torchvision/mnasnet1_3", without_dropout},
    {"shufflenet_v2_x0_5", "torchvision/shufflenet_v2_x0_5", without_dropout},
    {"shufflenet_v2_x1_0", "torchvision/shufflenet_v2_x1_0", without_dropout},
    {"shufflenet_v2_x1_5", "torchvision/shufflenet_v2_x1_5", without_dropout},
    {"shufflenet_v2_x2_0", "torchvision/shufflenet_v2_x2_0", without_dropout},
    {"efficientnet_b0", "torchvision/efficientnet_b0", without_dropout},
    {"vit_b_16", "torchvision/vit_b_16", main_layers},
    {"swin_t", "torchvision/swin_t", main_layers},
    {"bert_large", "transformers/bert_large_512", in_any_order},
    {"gpt2_large", "transformers/gpt2_large_1024", without_dropout},
    {"gpt3_27", "transformers/gpt3_27_2048", without_dropout},
    {"lstm_lm", "misc/lstm_lm", without_dropout},
    {"deepspeech2", "misc/deepspeech2_like", main_layers},
    {"dcgan_generator", "misc/dcgan_generator", without_dropout},
    {"mlp", "misc/mlp", without_dropout},
};

}  // namespace

TEST_CASE("the zoo's networks have the layers of their exports") {
  if (!tests::have_shared("networks")) return;
  for (const Export& entry : kExports) {
    INFO(entry.zoo_name);
    const ShapeBindings bindings{2, {}, {}};
    const auto file = tests::shared_path("networks/" + std::string(entry.file) + ".onnx");
    const Descriptions exported = entry.compared(file_layers(file, bindings));
    CHECK(entry.compared(zoo_layers(entry.zoo_name, bindings)) == exported);
    CHECK_FALSE(exported.empty());
  }
}

TEST_CASE("the zoo's networks survive the way through an ONNX file") {
  const auto file =
      std::filesystem::temp_directory_path() / ("layersim_zoo_" + std::to_string(getpid()) + ".onnx");
  for (const ZooNetwork& entry : zoo_networks()) {
    INFO(entry.name);
    export_onnx(entry.build(), file);
    const Network before = zoo_layers(entry.name, {});
    const Network after = file_layers(file, {});
    CHECK(every_layer(after) == every_layer(before));
    CHECK(after.params == before.params);
    CHECK(after.weight_bytes == before.weight_bytes);
    CHECK(after.macs_max == before.macs_max);
    CHECK(std::filesystem::file_size(file) < 2'000'000);
  }
  std::filesystem::remove(file);
}

TEST_CASE("the zoo's language models take another number of tokens") {
  // Blocks of 12 C^2 weights, two products of S x S x C for attention, and the output matrix.
  const auto macs = [](double blocks, double channels, double vocabulary, double tokens) {
    return tokens * (blocks * (12 * channels * channels + 2 * tokens * channels) + vocabulary * channels);
  };
  const auto macs_of = [](const char* network, std::map<std::string, Shape> inputs) {
    return zoo_layers(network, {{}, {}, std::move(inputs)}).macs_max;
  };
  CHECK(macs_of("gpt2", {{"input_ids", {3, 256}}}) == 3 * macs(12, 768, 50257, 256));
  CHECK(macs_of("opt_125m", {{"", {1, 100}}}) == macs(12, 768, 50272, 100));
  // The head has one more dense layer.
  CHECK(macs_of("bert_base",
                {{"input_ids", {1, 128}}, {"attention_mask", {1, 128}}, {"token_type_ids", {1, 128}}}) ==
        macs(12, 768, 30522, 128) + 128.0 * 768 * 768);
}
