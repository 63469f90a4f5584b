#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "sim/decompose/decompose.h"
#include "sim/graph/graph_text.h"
#include "sim/zoo/zoo.h"
#include "tests/import/imported.h"

using namespace layersim;
using namespace layersim::tests;
using Catch::Contains;

namespace {

class ExportedFile {
 public:
  ~ExportedFile() { std::filesystem::remove(path_); }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  [[nodiscard]] onnx::ModelProto read() const {
    std::ifstream stream(path_, std::ios::binary);
    onnx::ModelProto model;
    REQUIRE(model.ParseFromIstream(&stream));
    return model;
  }

 private:
  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("layersim_export_" + std::to_string(getpid()) + ".onnx");
};

constexpr const char* kText = R"(network net opset 13
input x f32 [N, 3, 8, 8]
weight w f32 [4, 3, 3, 3]
weight half f16 [1000, 2]
constant shape i64 [2] = {0, -1}
constant scale f32 [] = {0.5}
y = Conv(x, w) {kernel_shape=[3, 3], auto_pad="VALID", alpha=0.25, list=[0.5, 1.5], names=["a", "b"]} name "conv"
z = Reshape(y, shape) name "flat"
q, _ = custom::Op(z, _, scale) name "op"
info q f32 [N, 7]
output q
)";

}  // namespace

TEST_CASE("what is exported reads back to the same graph") {
  const Graph graph = parse_graph_text(kText);
  const ExportedFile file;
  export_onnx(graph, file.path());
  Warnings warnings;
  const Graph back = import_network(file.path(), warnings);
  CHECK(warnings.all().empty());
  // Stored tensors come first in an ONNX file, and the output has its type.
  CHECK(to_text(back) == to_text(graph));
  CHECK(value_of(back, "q").declared->at(1).size == 7);
  CHECK(value_of(back, "q").declared->at(0).symbol == "N");
}

TEST_CASE("weights are references that follow on each other") {
  const ExportedFile file;
  export_onnx(parse_graph_text(kText), file.path());
  const onnx::ModelProto model = file.read();
  REQUIRE(model.graph().initializer_size() == 4);
  const auto& w = model.graph().initializer(0);
  CHECK(w.data_location() == onnx::TensorProto::EXTERNAL);
  CHECK(w.external_data(0).value() == "weights.bin");
  CHECK(w.external_data(1).value() == "0");
  CHECK(w.external_data(2).value() == "432");
  const auto& half = model.graph().initializer(1);
  CHECK(half.external_data(1).value() == "432");
  CHECK(half.external_data(2).value() == "4000");
  CHECK(model.graph().initializer(2).raw_data().size() == 16);
  CHECK(model.ir_version() == 8);
}

TEST_CASE("outputs get their types from shape inference, in the symbols of the inputs") {
  const ExportedFile file;
  export_onnx(parse_graph_text("network n opset 17\n"
                               "input x f16 [N, 3, H]\n"
                               "constant perm i64 [2] = {0, -1}\n"
                               "t = Transpose(x) {perm=[2, 1, 0]}\n"
                               "f = Reshape(x, perm)\n"
                               "output t, f\n"),
              file.path());
  const onnx::ModelProto model = file.read();
  const auto& t = model.graph().output(0).type().tensor_type();
  CHECK(t.elem_type() == onnx::TensorProto::FLOAT16);
  REQUIRE(t.shape().dim_size() == 3);
  CHECK(t.shape().dim(0).dim_param() == "H");
  CHECK(t.shape().dim(1).dim_value() == 3);
  CHECK(t.shape().dim(2).dim_param() == "N");
  const auto& f = model.graph().output(1).type().tensor_type().shape();
  REQUIRE(f.dim_size() == 2);
  CHECK(f.dim(0).dim_param() == "N");
  CHECK_FALSE(f.dim(1).has_dim_value());
  CHECK_FALSE(f.dim(1).has_dim_param());
}

TEST_CASE("names that ONNX cannot tell apart are made unique") {
  Graph graph = parse_graph_text("network n opset 17\ninput x f32 [1]\na = Relu(x)\nb = Relu(a)\noutput b\n");
  for (Value& value : graph.values) value.name = "same";
  const ExportedFile file;
  export_onnx(graph, file.path());
  Warnings warnings;
  CHECK(import_network(file.path(), warnings).nodes.size() == 2);
}

TEST_CASE("what is learned and what is not survives a file") {
  const Graph text = parse_graph_text(
      "network n opset 17\n"
      "input x f32 [N, 4, 8]\n"
      "weight /scale f32 [8]\n"
      "constant mask f32 [4, 8]\n"
      "constant half f32 [2] = {0.5, 0.5}\n"
      "a = Mul(x, /scale)\n"
      "b = Add(a, mask)\n"
      "output b\n");
  for (const Graph& graph : {text, find_zoo_network("swin_t")->build()}) {
    const ExportedFile file;
    export_onnx(graph, file.path());
    Warnings warnings;
    const Network back = decompose(import_network(file.path(), warnings), {});
    const Network network = decompose(graph, {});
    CHECK(back.params == network.params);
    CHECK(back.weight_bytes == network.weight_bytes);
    CHECK(back.layers.size() == network.layers.size());
  }
}

TEST_CASE("what ONNX cannot hold is refused, and no file is left behind") {
  const ExportedFile file;
  Graph graph = parse_graph_text(kText);
  graph.scopes.emplace_back();
  CHECK_THROWS_WITH(export_onnx(graph, file.path()), Contains("control flow"));
  graph = parse_graph_text(kText);
  graph.nodes[1].opset = 12;
  CHECK_THROWS_WITH(export_onnx(graph, file.path()), Contains("opsets 13 and 12"));
  CHECK_FALSE(std::filesystem::exists(file.path()));
  CHECK_THROWS_WITH(export_onnx(parse_graph_text(kText), "/no/such/folder/net.onnx"),
                    Contains("cannot be written"));
}
