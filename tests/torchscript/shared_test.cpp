// The TorchScript networks and cases of the shared folders against their expected.csv and ONNX exports.

#include "tests/decompose/expected_table.h"
#include "tests/shared_files.h"
#include "tests/torchscript/archives.h"

using namespace layersim;
using namespace layersim::tests;

namespace {

std::size_t count_kind(const Network& network, std::string_view kind) {
  std::size_t count = 0;
  for (const Layer& layer : network.layers) {
    count += layer.problem.kind != nullptr && layer.problem.kind->name == kind;
  }
  return count;
}

// "Nx3x224x224" at batch 2.
Shape shape_at_batch_2(std::string text) {
  text.replace(0, 1, "2");
  Shape shape;
  std::istringstream sizes(text);
  for (std::string size; std::getline(sizes, size, 'x');) shape.push_back(std::stoll(size));
  return shape;
}

// The same layers in the same order, whatever their names.
void check_same_layers(const Network& network, const Network& exported) {
  REQUIRE(network.layers.size() == exported.layers.size());
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const Layer& a = network.layers[i];
    const Layer& b = exported.layers[i];
    INFO(a.name << " against " << b.name);
    CHECK(a.problem.kind == b.problem.kind);
    CHECK(a.problem.sizes == b.problem.sizes);
    CHECK(a.problem.activation == b.problem.activation);
    CHECK(a.params == b.params);
    CHECK(a.output_shape == b.output_shape);
    CHECK(a.fused.has_value() == b.fused.has_value());
  }
}

}  // namespace

TEST_CASE("TorchScript networks have the layers of their ONNX exports") {
  if (!have_torch() || !have_shared("networks/torchscript")) return;
  for (const ExpectedRow& row : read_expected(shared_path("networks/expected.csv").string())) {
    const std::string& file = row.at("file");
    if (!file.ends_with(".pt")) continue;
    INFO(file);
    const ShapeBindings bindings = only_input(shape_at_batch_2(row.at("input_shape")));
    const Network network = take_apart(shared_path("networks/" + file), bindings);
    CHECK(network.params == std::stod(row.at("params")));
    CHECK(network.macs_min == 2 * std::stod(row.at("macs_per_sample")));
    CHECK(network.macs_max == network.macs_min);
    CHECK(count_kind(network, "conv") == std::stoul(row.at("n_conv")));
    CHECK(count_kind(network, "dense") == std::stoul(row.at("n_gemm_matmul")));
    CHECK(count_kind(network, "pool") == std::stoul(row.at("n_pool")));
    CHECK(count_kind(network, "norm") == std::stoul(row.at("n_norm")));
    const std::string name = file.substr(file.find('/') + 1, file.rfind('_') - file.find('/') - 1);
    const char* folder = name == "lstm_lm" ? "networks/misc/" : "networks/torchvision/";
    check_same_layers(network, take_apart(shared_path(folder + name + ".onnx"), bindings));
  }
}

TEST_CASE("hard TorchScript cases") {
  if (!have_torch() || !have_shared("cases/ts_trace_conv.pt")) return;
  for (const char* name : {"ts_trace_conv.pt", "ts_script_conv.pt"}) {
    const Network network = take_apart(shared_path("cases") / name, only_input({1, 3, 8, 8}));
    CHECK(network.macs_min == 5328);
    CHECK(network.params == 1562);
  }
  const Network recurrent = take_apart(shared_path("cases/ts_lstm_attn.pt"), only_input({2, 10, 8}));
  CHECK(count_kind(recurrent, "recurrent") == 1);
  CHECK(recurrent.macs_min == 61440 + 12800);
  const Error error = error_of(shared_path("cases/ts_script_conv.pt"), {});
  CHECK(error.kind() == ErrorKind::bad_use);
}
