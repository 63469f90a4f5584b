#include "sim/zoo/zoo.h"

#include <catch2/catch.hpp>
#include <string>
#include <unordered_map>
#include <unordered_set>

using namespace layersim;

namespace {

// Elements of the weights that nodes use, without mean and variance of batch norms.
std::int64_t learned_parameters(const Graph& graph) {
  std::vector<bool> learned(graph.values.size(), false);
  for (const Node& node : graph.nodes) {
    const std::size_t learned_inputs = node.op == "BatchNormalization" ? 3 : node.inputs.size();
    for (std::size_t i = 0; i < learned_inputs; ++i) {
      const ValueId id = node.inputs[i];
      if (id != kNoValue && graph.value(id).origin == Origin::weight)
        learned[static_cast<std::size_t>(id)] = true;
    }
  }
  std::int64_t count = 0;
  for (std::size_t i = 0; i < learned.size(); ++i) {
    if (learned[i]) count += element_count(*graph.values[i].tensor.shape);
  }
  return count;
}

// Parameters as torchvision and Hugging Face publish them (tied weights once); the others by their exports.
const std::unordered_map<std::string_view, std::int64_t> kParameters{
    {"alexnet", 61'100'840},
    {"vgg11", 132'863'336},
    {"vgg11_bn", 132'868'840},
    {"vgg13", 133'047'848},
    {"vgg13_bn", 133'053'736},
    {"vgg16", 138'357'544},
    {"vgg16_bn", 138'365'992},
    {"vgg19", 143'667'240},
    {"vgg19_bn", 143'678'248},
    {"resnet18", 11'689'512},
    {"resnet34", 21'797'672},
    {"resnet50", 25'557'032},
    {"resnet101", 44'549'160},
    {"resnet152", 60'192'808},
    {"resnext50_32x4d", 25'028'904},
    {"resnext101_32x8d", 88'791'336},
    {"wide_resnet50_2", 68'883'240},
    {"wide_resnet101_2", 126'886'696},
    {"densenet121", 7'978'856},
    {"densenet161", 28'681'000},
    {"densenet169", 14'149'480},
    {"densenet201", 20'013'928},
    {"squeezenet1_0", 1'248'424},
    {"squeezenet1_1", 1'235'496},
    {"googlenet", 6'624'904},
    {"inception_v3", 23'834'568},
    {"mobilenet_v2", 3'504'872},
    {"mobilenet_v3_small", 2'542'856},
    {"mobilenet_v3_large", 5'483'032},
    {"mnasnet0_5", 2'218'512},
    {"mnasnet0_75", 3'170'208},
    {"mnasnet1_0", 4'383'312},
    {"mnasnet1_3", 6'282'256},
    {"shufflenet_v2_x0_5", 1'366'792},
    {"shufflenet_v2_x1_0", 2'278'604},
    {"shufflenet_v2_x1_5", 3'503'624},
    {"shufflenet_v2_x2_0", 7'393'996},
    {"efficientnet_b0", 5'288'548},
    {"efficientnet_b1", 7'794'184},
    {"efficientnet_b2", 9'109'994},
    {"efficientnet_b3", 12'233'232},
    {"efficientnet_b4", 19'341'616},
    {"efficientnet_b5", 30'389'784},
    {"efficientnet_b6", 43'040'704},
    {"efficientnet_b7", 66'347'960},
    {"regnet_x_400mf", 5'495'976},
    {"regnet_x_800mf", 7'259'656},
    {"regnet_x_1_6gf", 9'190'136},
    {"regnet_x_3_2gf", 15'296'552},
    {"regnet_x_8gf", 39'572'648},
    {"regnet_y_400mf", 4'344'144},
    {"regnet_y_800mf", 6'432'512},
    {"regnet_y_1_6gf", 11'202'430},
    {"regnet_y_3_2gf", 19'436'338},
    {"regnet_y_8gf", 39'381'472},
    {"lenet5", 61'706},
    {"convnext_tiny", 28'589'128},
    {"convnext_small", 50'223'688},
    {"convnext_base", 88'591'464},
    {"convnext_large", 197'767'336},
    {"unet", 31'037'698},
    {"vit_b_16", 86'567'656},
    {"vit_b_32", 88'224'232},
    {"vit_l_16", 304'326'632},
    {"vit_l_32", 306'535'400},
    {"vit_h_14", 632'045'800},
    {"deit_tiny", 5'717'416},
    {"deit_small", 22'050'664},
    {"swin_t", 28'288'354},
    {"swin_s", 49'606'258},
    {"swin_b", 87'768'224},
    {"bert_base", 109'514'298},
    {"bert_large", 335'174'458},
    {"gpt2", 124'439'808},
    {"gpt2_medium", 354'823'168},
    {"gpt2_large", 774'030'080},
    {"gpt2_xl", 1'557'611'200},
    {"gpt3_27", 2'651'553'280},
    {"opt_125m", 125'239'296},
    {"opt_350m", 331'196'416},
    {"opt_1_3b", 1'315'758'080},
    {"opt_2_7b", 2'651'596'800},
    {"lstm_lm", 19'780'400},
    {"deepspeech2", 41'179'997},
    {"dcgan_generator", 3'576'704},
    {"mlp", 669'706},
};

}  // namespace

TEST_CASE("every network of the zoo has as many parameters as published") {
  CHECK(zoo_networks().size() == kParameters.size());
  for (const ZooNetwork& network : zoo_networks()) {
    INFO(network.name);
    REQUIRE(kParameters.count(network.name) == 1);
    CHECK(learned_parameters(network.build()) == kParameters.at(network.name));
  }
}

TEST_CASE("the zoo's graphs are well formed") {
  for (const ZooNetwork& network : zoo_networks()) {
    INFO(network.name);
    CHECK(find_zoo_network(network.name) == &network);
    CHECK_FALSE(network.family.empty());
    CHECK_FALSE(network.summary.empty());
    const Graph graph = network.build();
    CHECK(graph.name == network.name);
    CHECK(graph.outputs.size() == 1);
    std::unordered_set<std::string> names;
    for (const Value& value : graph.values) CHECK(names.insert(value.name).second);
    std::vector<bool> ready(graph.values.size());
    std::vector<bool> used(graph.values.size());
    for (std::size_t i = 0; i < ready.size(); ++i) ready[i] = graph.values[i].origin != Origin::computed;
    for (const Node& node : graph.nodes) {
      for (const ValueId id : node.inputs) {
        if (id == kNoValue) continue;
        CHECK(ready[static_cast<std::size_t>(id)]);
        used[static_cast<std::size_t>(id)] = true;
      }
      for (const ValueId id : node.outputs) ready[static_cast<std::size_t>(id)] = true;
    }
    for (std::size_t i = 0; i < used.size(); ++i) {
      INFO(graph.values[i].name);
      if (graph.values[i].origin != Origin::computed) CHECK(used[i]);
    }
  }
}

TEST_CASE("a network that the zoo lacks is not found") { CHECK(find_zoo_network("vgg17") == nullptr); }
