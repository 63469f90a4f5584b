#include "tests/import/imported.h"

using namespace layersim;
using namespace layersim::tests;
using Catch::Contains;

namespace {

onnx::ModelProto small_model() {
  onnx::ModelProto model = new_model();
  onnx::GraphProto& graph = *model.mutable_graph();
  add_input(graph, "x", {1, 3, 8, 8});
  add_weight(graph, "w", {4, 3, 3, 3}).set_raw_data(std::string(432, 'w'));
  auto& conv = add_node(graph, "Conv", {"x", "w"}, {"y"});
  add_attribute(conv, "kernel_shape", onnx::AttributeProto::INTS).add_ints(3);
  add_output(graph, "y");
  return model;
}

// A length-delimited protobuf field.
std::string field(int number, const std::string& contents) {
  std::string bytes;
  const auto varint = [&](std::size_t value) {
    for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<char>(value | 0x80));
    bytes.push_back(static_cast<char>(value));
  };
  varint(static_cast<std::size_t>(number) << 3 | 2);
  varint(contents.size());
  return bytes + contents;
}

}  // namespace

TEST_CASE("a file cut off anywhere is refused with the offset, or is whole") {
  const std::string bytes = small_model().SerializeAsString();
  int cut_inside = 0;
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    const std::string line = import_error(bytes.substr(0, size));
    if (line.find("ends too early") == std::string::npos) continue;  // cut between two fields
    ++cut_inside;
    CHECK_THAT(line, Contains("byte " + std::to_string(size)));
  }
  CHECK(cut_inside > static_cast<int>(bytes.size()) * 9 / 10);
}

TEST_CASE("the message that is cut off is named") {
  const std::string bytes = small_model().SerializeAsString();
  CHECK_THAT(import_error(bytes.substr(0, bytes.find("kernel_shape") + 3)),
             Contains("graph > node 0 > attribute 0") && Contains("bytes are missing"));
  CHECK_THAT(import_error(bytes.substr(0, bytes.find("wwww") + 100)),
             Contains("graph > initializer 0 > raw_data") && Contains("332 bytes are missing"));
}

TEST_CASE("a flipped byte never does more harm than an error") {
  const std::string bytes = small_model().SerializeAsString();
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const int flip : {0x01, 0x08, 0x80, 0xff}) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ flip);
      import_error(changed);
    }
  }
}

TEST_CASE("a field of the wrong type is named with its offset") {
  // graph > node 0: field 1 (input) as a number
  CHECK_THAT(import_error(field(7, field(1, "\x08\x01"))), Contains("byte 4, in graph > node 0 > input"));
}

TEST_CASE("sizes that cannot be name their tensor") {
  for (const std::int64_t size : {std::int64_t{-5}, std::int64_t{1} << 62}) {
    onnx::ModelProto model = small_model();
    model.mutable_graph()->mutable_initializer(0)->set_dims(1, size);
    CHECK_THAT(import_error(model), Contains("tensor 'w'"));
    model = small_model();
    model.mutable_graph()
        ->mutable_input(0)
        ->mutable_type()
        ->mutable_tensor_type()
        ->mutable_shape()
        ->mutable_dim(1)
        ->set_dim_value(size);
    CHECK_THAT(import_error(model), Contains("input 'x'"));
  }
  onnx::ModelProto model = new_model();
  add_weight(*model.mutable_graph(), "product", {1 << 30, 1 << 30});
  CHECK_THAT(import_error(model), Contains("tensor 'product'") && Contains("2^53"));
  model = new_model();
  add_weight(*model.mutable_graph(), "axes", Dims(100, 1));
  CHECK_THAT(import_error(model), Contains("64"));
}

TEST_CASE("deep nesting is an error, not a crash") {
  std::string graph;
  for (int depth = 0; depth < 2000; ++depth) {
    graph = field(1, field(4, "If") + field(5, field(1, "then_branch") + field(6, graph)));
  }
  CHECK_THAT(import_error(field(7, graph)), Contains("nested more than"));
  std::string type;
  for (int depth = 0; depth < 1000; ++depth) type = field(4, field(1, type));
  CHECK_THAT(import_error(field(7, field(11, field(1, "x") + field(2, type)))), Contains("nested more than"));
}

TEST_CASE("a list of numbers too long to be of use is left out with a warning") {
  onnx::ModelProto model = small_model();
  auto& list = add_attribute(*model.mutable_graph()->mutable_node(0), "table", onnx::AttributeProto::INTS);
  for (int i = 0; i < (1 << 20); ++i) list.add_ints(i);
  Warnings warnings;
  const Graph graph = import_model(model, warnings);
  CHECK(graph.nodes[0].attribute("table") == nullptr);
  CHECK(graph.nodes[0].attribute("kernel_shape") != nullptr);
  REQUIRE(warnings.all().size() == 1);
  CHECK_THAT(warnings.all()[0], Contains("graph > node 0 > attribute 1"));
}

TEST_CASE("more data than a small tensor can hold is an error") {
  onnx::ModelProto model = new_model();
  add_weight(*model.mutable_graph(), "w", {2}, onnx::TensorProto::INT64)
      .set_raw_data(std::string(1 << 20, 'x'));
  CHECK_THAT(import_error(model), Contains("graph > initializer 0") && Contains("2 elements"));
}

TEST_CASE("malformed packed numbers are found before they are decoded") {
  // A tensor whose dims are packed and end within a number.
  CHECK_THAT(import_error(field(7, field(5, field(1, "\x80")))), Contains("initializer 0 > dims"));
  // Floats of an attribute with a length that is no multiple of 4.
  CHECK_THAT(import_error(field(7, field(1, field(5, field(7, "abcde"))))), Contains("attribute 0 > floats"));
}

TEST_CASE("names that hold anything still make one short line") {
  onnx::ModelProto model = new_model();
  add_node(*model.mutable_graph(), "Relu", {"a\nb" + std::string(100000, 'c')}, {"y\r\n"});
  const std::string line = import_error(model);
  CHECK(line.size() < 1100);
  CHECK_THAT(line, Contains("node 'n_y"));
}

TEST_CASE("warnings stay few however often a file is wrong") {
  onnx::ModelProto model = new_model();
  for (int i = 0; i < 1000; ++i) add_weight(*model.mutable_graph(), "w" + std::to_string(i), {1}, 99);
  Warnings warnings;
  import_model(model, warnings);
  CHECK(warnings.all().size() == 21);
}
