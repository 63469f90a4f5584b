#include "sim/zoo/zoo.h"

#include <catch2/catch.hpp>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "sim/decompose/decompose.h"

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

struct Published {
  std::int64_t params;
  std::int64_t macs;  // for one sample
};
// Parameters and multiply-accumulates as torchvision and Hugging Face publish them (tied weights once; MACs
// to as many digits as published, the rest by a count over the graph).
const std::unordered_map<std::string_view, Published> kPublished{
    {"lenet5", {61'706, 416'520}},
    {"alexnet", {61'100'840, 714'188'480}},
    {"vgg11", {132'863'336, 7'609'090'048}},
    {"vgg11_bn", {132'868'840, 7'609'090'048}},
    {"vgg13", {133'047'848, 11'308'466'176}},
    {"vgg13_bn", {133'053'736, 11'308'466'176}},
    {"vgg16", {138'357'544, 15'470'264'320}},
    {"vgg16_bn", {138'365'992, 15'470'264'320}},
    {"vgg19", {143'667'240, 19'632'062'464}},
    {"vgg19_bn", {143'678'248, 19'632'062'464}},
    {"googlenet", {6'624'904, 1'498'376'192}},
    {"inception_v3", {23'834'568, 5'713'216'096}},
    {"resnet18", {11'689'512, 1'814'073'344}},
    {"resnet34", {21'797'672, 3'663'761'408}},
    {"resnet50", {25'557'032, 4'089'184'256}},
    {"resnet101", {44'549'160, 7'801'405'440}},
    {"resnet152", {60'192'808, 11'513'626'624}},
    {"resnext50_32x4d", {25'028'904, 4'230'479'872}},
    {"resnext101_32x8d", {88'791'336, 16'414'015'488}},
    {"wide_resnet50_2", {68'883'240, 11'398'021'120}},
    {"wide_resnet101_2", {126'886'696, 22'753'050'624}},
    {"densenet121", {7'978'856, 2'834'161'664}},
    {"densenet161", {28'681'000, 7'727'907'072}},
    {"densenet169", {14'149'480, 3'359'843'328}},
    {"densenet201", {20'013'928, 4'291'365'888}},
    {"squeezenet1_0", {1'248'424, 818'924'576}},
    {"squeezenet1_1", {1'235'496, 349'151'936}},
    {"mobilenet_v2", {3'504'872, 300'774'272}},
    {"mobilenet_v3_small", {2'542'856, 56'510'400}},
    {"mobilenet_v3_large", {5'483'032, 216'589'760}},
    {"mnasnet0_5", {2'218'512, 104'455'968}},
    {"mnasnet0_75", {3'170'208, 215'493'104}},
    {"mnasnet1_0", {4'383'312, 314'415'872}},
    {"mnasnet1_3", {6'282'256, 526'362'432}},
    {"shufflenet_v2_x0_5", {1'366'792, 40'476'448}},
    {"shufflenet_v2_x1_0", {2'278'604, 144'907'992}},
    {"shufflenet_v2_x1_5", {3'503'624, 295'759'392}},
    {"shufflenet_v2_x2_0", {7'393'996, 583'253'464}},
    {"efficientnet_b0", {5'288'548, 385'814'752}},
    {"efficientnet_b1", {7'794'184, 686'802'832}},
    {"efficientnet_b2", {9'109'994, 1'087'529'456}},
    {"efficientnet_b3", {12'233'232, 1'827'141'392}},
    {"efficientnet_b4", {19'341'616, 4'393'771'024}},
    {"efficientnet_b5", {30'389'784, 10'266'384'752}},
    {"efficientnet_b6", {43'040'704, 19'067'593'536}},
    {"efficientnet_b7", {66'347'960, 37'745'884'192}},
    {"regnet_x_400mf", {5'495'976, 413'812'608}},
    {"regnet_x_800mf", {7'259'656, 799'699'712}},
    {"regnet_x_1_6gf", {9'190'136, 1'602'849'792}},
    {"regnet_x_3_2gf", {15'296'552, 3'176'621'952}},
    {"regnet_x_8gf", {39'572'648, 7'995'132'416}},
    {"regnet_y_400mf", {4'344'144, 401'842'848}},
    {"regnet_y_800mf", {6'432'512, 833'856'256}},
    {"regnet_y_1_6gf", {11'202'430, 1'612'076'160}},
    {"regnet_y_3_2gf", {19'436'338, 3'176'482'752}},
    {"regnet_y_8gf", {39'381'472, 8'473'070'592}},
    {"convnext_tiny", {28'589'128, 4'455'531'264}},
    {"convnext_small", {50'223'688, 8'683'712'256}},
    {"convnext_base", {88'591'464, 15'354'729'472}},
    {"convnext_large", {197'767'336, 34'361'433'600}},
    {"unet", {31'037'698, 192'686'325'760}},
    {"vit_b_16", {86'567'656, 17'563'828'224}},
    {"vit_b_32", {88'224'232, 4'409'186'304}},
    {"vit_l_16", {304'326'632, 61'554'712'576}},
    {"vit_l_32", {306'535'400, 15'377'539'072}},
    {"vit_h_14", {632'045'800, 167'295'109'120}},
    {"deit_tiny", {5'717'416, 1'253'683'200}},
    {"deit_small", {22'050'664, 4'598'882'304}},
    {"swin_t", {28'288'354, 4'490'566'656}},
    {"swin_s", {49'606'258, 8'740'875'264}},
    {"swin_b", {87'768'224, 15'430'946'816}},
    {"bert_base", {109'514'298, 60'622'110'720}},
    {"bert_large", {335'174'458, 184'042'913'792}},
    {"bert_large_classifier", {335'143'938, 167'504'775'168}},
    {"gpt2", {124'439'808, 145'824'153'600}},
    {"gpt2_medium", {354'823'168, 413'475'536'896}},
    {"gpt2_large", {774'030'080, 887'285'350'400}},
    {"gpt2_xl", {1'557'611'200, 1'753'351'782'400}},
    {"gpt3_27", {2'651'553'280, 6'104'646'942'720}},
    {"opt_125m", {125'239'296, 330'326'605'824}},
    {"opt_350m", {331'196'416, 879'495'217'152}},
    {"opt_1_3b", {1'315'758'080, 3'097'074'073'600}},
    {"opt_2_7b", {2'651'596'800, 6'104'725'585'920}},
    {"lstm_lm", {19'780'400, 464'100'000}},
    {"deepspeech2", {41'179'997, 7'762'214'400}},
    {"dcgan_generator", {3'576'704, 104'628'224}},
    {"mlp", {669'706, 668'672}},
};

}  // namespace

TEST_CASE("every network of the zoo has as many parameters and operations as published") {
  CHECK(zoo_networks().size() == kPublished.size());
  for (const ZooNetwork& zoo_network : zoo_networks()) {
    INFO(zoo_network.name);
    REQUIRE(kPublished.count(zoo_network.name) == 1);
    const Published& published = kPublished.at(zoo_network.name);
    CHECK(learned_parameters(zoo_network.build()) == published.params);
    DecomposeOptions options;
    options.training = true;
    options.bindings.batch = 2;
    const Network network = decompose(zoo_network.build(), options);
    CHECK(network.params == static_cast<double>(published.params));
    CHECK(network.macs_max == 2.0 * static_cast<double>(published.macs));
    CHECK(network.warnings.all().empty());
    for (const Layer& layer : network.layers) {
      INFO(layer.name << " (" << layer.op << ")");
      CHECK(layer.problem.kind != nullptr);
      CHECK(layer.output_shape_known);
    }
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
