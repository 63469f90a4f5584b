// Writes the ONNX files that the benchmarks read:
//   make_networks zoo NAME FILE      a zoo network with all its weight bytes inside, as a real export has
//   them make_networks chain NODES FILE   a chain of residual blocks of about that many nodes, without weight
//   bytes

#include <onnx/onnx_pb.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "sim/core/dtype.h"
#include "sim/core/error.h"
#include "sim/graph/graph.h"
#include "sim/import/importer.h"
#include "sim/zoo/zoo.h"

namespace {

using layersim::ValueId;

// Gives every tensor that refers to the external file its bytes (a repeating pattern) inside the model.
void store_weights_inside(const std::string& file) {
  onnx::ModelProto model;
  {
    std::ifstream input(file, std::ios::binary);
    if (!model.ParseFromIstream(&input)) throw layersim::bad_input(file + ": not an ONNX file");
  }
  for (auto& tensor : *model.mutable_graph()->mutable_initializer()) {
    if (tensor.data_location() != onnx::TensorProto::EXTERNAL) continue;
    std::size_t byte_count = 0;
    for (const auto& entry : tensor.external_data()) {
      if (entry.key() == "length") byte_count = std::stoull(entry.value());
    }
    tensor.clear_external_data();
    tensor.clear_data_location();
    tensor.mutable_raw_data()->assign(byte_count, '\x3c');
  }
  std::ofstream output(file, std::ios::binary | std::ios::trunc);
  if (!model.SerializeToOstream(&output)) throw layersim::bad_input(file + ": cannot be written");
}

layersim::Graph residual_chain(int nodes) {
  constexpr int kNodesPerBlock = 8;
  layersim::GraphBuilder builder("chain");
  ValueId x =
      builder.input("x", layersim::DType::f32, {{layersim::kUnknownDim, "N"}, {64, ""}, {14, ""}, {14, ""}});
  const auto conv_bn = [&](ValueId input, const std::string& name) {
    const ValueId weight = builder.weight(name + ".weight", layersim::DType::f32, {64, 64, 3, 3});
    const ValueId y =
        builder.node("Conv", name, {input, weight}, {{"pads", std::vector<std::int64_t>{1, 1, 1, 1}}});
    std::vector<ValueId> bn_inputs{y};
    for (const char* part : {".scale", ".bias", ".mean", ".var"}) {
      bn_inputs.push_back(builder.weight(name + part, layersim::DType::f32, {64}));
    }
    return builder.node("BatchNormalization", name + ".bn", bn_inputs);
  };
  for (int block = 0; block < nodes / kNodesPerBlock; ++block) {
    const std::string name = "block" + std::to_string(block);
    const ValueId a = builder.node("Relu", name + ".relu1", {conv_bn(x, name + ".conv1")});
    const ValueId b = builder.node("Sigmoid", name + ".sigmoid", {conv_bn(a, name + ".conv2")});
    x = builder.node("Relu", name + ".relu2", {builder.node("Add", name + ".add", {b, x})});
  }
  builder.output(x);
  return builder.take();
}

int run(int argc, char** argv) {
  const std::string what = argc == 4 ? argv[1] : "";
  if (what == "zoo") {
    const layersim::ZooNetwork* network = layersim::find_zoo_network(argv[2]);
    if (network == nullptr) throw layersim::bad_use(std::string("no zoo network '") + argv[2] + "'");
    layersim::export_onnx(network->build(), argv[3]);
    store_weights_inside(argv[3]);
    return 0;
  }
  if (what == "chain") {
    layersim::export_onnx(residual_chain(std::stoi(argv[2])), argv[3]);
    return 0;
  }
  std::fprintf(stderr, "usage: make_networks zoo NAME FILE | chain NODES FILE\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const layersim::Error& error) {
    std::fprintf(stderr, "make_networks: %s\n", error.what());
    return error.exit_code();
  }
}
