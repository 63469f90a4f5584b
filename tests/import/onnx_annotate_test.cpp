#include "sim/import/onnx_annotate.h"

#include <fstream>

#include "sim/graph/graph_text.h"
#include "sim/import/wire_edit.h"
#include "tests/import/imported.h"
#include "tests/store/temporary_folder.h"

using namespace layersim;
using namespace layersim::tests;

namespace {

onnx::ModelProto parse(const std::string& bytes) {
  onnx::ModelProto model;
  REQUIRE(model.ParseFromString(bytes));
  return model;
}

// A convolution with weights in the file, a ReLU, and a name that two nodes have.
onnx::ModelProto sample_model() {
  onnx::ModelProto model = new_model();
  onnx::GraphProto& graph = *model.mutable_graph();
  add_input(graph, "x", {1, 3, 8, 8});
  std::string payload(4 * 4 * 3 * 9, '\0');
  for (std::size_t i = 0; i < payload.size(); ++i) payload[i] = static_cast<char>(i * 7);
  add_weight(graph, "w", {4, 3, 3, 3}).set_raw_data(payload);
  onnx::NodeProto& conv = add_node(graph, "Conv", {"x", "w"}, {"a"});
  conv.set_doc_string("from torch");
  add_node(graph, "Relu", {"a"}, {"b"}).set_name("act");
  add_node(graph, "Relu", {"b"}, {"c"}).set_name("act");
  add_output(graph, "c");
  graph.set_doc_string("old graph text");
  return model;
}

}  // namespace

TEST_CASE("an annotated copy has the texts, and everything else is as it was") {
  const TemporaryFolder folder;
  const std::string bytes = sample_model().SerializeAsString();
  const std::string source = folder.write("model.onnx", bytes);
  const std::vector<NodeNote> notes{{"n_a", "a", "1 ms"}, {"act", "c", "2 ms"}, {"gone", "nothing", "3 ms"}};
  CHECK(annotate_onnx(source, notes, "whole", folder.file("copy.onnx")) == 2);
  onnx::ModelProto copy = parse(read_file(folder.file("copy.onnx")));
  CHECK(copy.graph().doc_string() == "old graph text\nwhole");
  CHECK(copy.graph().node(0).doc_string() == "from torch\n1 ms");
  CHECK(copy.graph().node(1).doc_string().empty());  // two nodes have its name: the output decides
  CHECK(copy.graph().node(2).doc_string() == "2 ms");
  // Take them out again: what remains is the original.
  copy.mutable_graph()->set_doc_string("old graph text");
  copy.mutable_graph()->mutable_node(0)->set_doc_string("from torch");
  copy.mutable_graph()->mutable_node(2)->clear_doc_string();
  CHECK(copy.SerializeAsString() == bytes);
  CHECK(read_file(source) == bytes);
}

TEST_CASE("nodes of sub-graphs are annotated within their attributes") {
  const TemporaryFolder folder;
  onnx::ModelProto model = new_model();
  onnx::GraphProto& graph = *model.mutable_graph();
  add_input(graph, "x", {2, 4});
  add_input(graph, "c", {}, onnx::TensorProto::BOOL);
  onnx::NodeProto& choice = add_node(graph, "If", {"c"}, {"y"});
  for (const char* branch : {"then_branch", "else_branch"}) {
    onnx::GraphProto& body = add_graph(choice, branch);
    body.set_name(branch);
    add_node(body, "Relu", {"x"}, {std::string(branch) + "_out"});
    add_output(body, std::string(branch) + "_out");
  }
  add_output(graph, "y");
  const std::string source = folder.write("model.onnx", model.SerializeAsString());
  CHECK(annotate_onnx(source, {{"n_else_branch_out", "", "inside"}}, "", folder.file("copy.onnx")) == 1);
  const onnx::ModelProto copy = parse(read_file(folder.file("copy.onnx")));
  CHECK(copy.graph().node(0).attribute(0).g().node(0).doc_string().empty());
  CHECK(copy.graph().node(0).attribute(1).g().node(0).doc_string() == "inside");
  CHECK(copy.graph().node(0).doc_string().empty());
}

TEST_CASE("weights in another file are neither needed nor copied") {
  const TemporaryFolder folder;
  onnx::ModelProto model = sample_model();
  onnx::TensorProto& weight = *model.mutable_graph()->mutable_initializer(0);
  weight.clear_raw_data();
  weight.set_data_location(onnx::TensorProto::EXTERNAL);
  auto& location = *weight.add_external_data();
  location.set_key("location");
  location.set_value("no_such_weights.bin");
  const std::string source = folder.write("model.onnx", model.SerializeAsString());
  CHECK(annotate_onnx(source, {{"n_a", "a", "1 ms"}}, "", folder.file("copy.onnx")) == 1);
  const onnx::ModelProto copy = parse(read_file(folder.file("copy.onnx")));
  CHECK(copy.graph().initializer(0).external_data(0).value() == "no_such_weights.bin");
}

TEST_CASE("what is no ONNX file is told") {
  const TemporaryFolder folder;
  const std::string cut = sample_model().SerializeAsString();
  const std::string source = folder.write("cut.onnx", cut.substr(0, cut.size() - 9));
  CHECK_THROWS_WITH(annotate_onnx(source, {}, "", folder.file("copy.onnx")),
                    Catch::StartsWith(source) && Catch::Contains("ends too early"));
  CHECK_THROWS_AS(annotate_onnx(folder.file("none.onnx"), {}, "", folder.file("copy.onnx")), Error);
  const std::string whole = folder.write("model.onnx", cut);
  CHECK_THROWS_WITH(annotate_onnx(whole, {}, "", folder.file("no/such/folder/copy.onnx")),
                    Catch::Contains("cannot be opened"));
}

TEST_CASE("an edited message: lengths of new fields, and neighbours of the original joined") {
  const std::string original = "abcdef";
  WireEdit edit;
  edit.keep(original.data(), original.data() + 2);
  edit.keep(original.data() + 2, original.data() + 4);
  CHECK(edit.pieces().size() == 1);
  edit.add_text(6, std::string(200, 'x'));
  CHECK(edit.size() == 4 + 1 + 2 + 200);
  WireEdit outer;
  outer.add_message(7, std::move(edit));
  CHECK(outer.size() == 1 + 2 + 207);
  std::string bytes;
  for (const auto& piece : outer.pieces())
    bytes += piece.original.empty() ? piece.text : std::string(piece.original);
  CHECK(bytes.size() == outer.size());
  CHECK(bytes.substr(0, 7) == std::string("\x3a\xcf\x01") + "abcd");
  CHECK(bytes.substr(7, 3) == "\x32\xc8\x01");
}
