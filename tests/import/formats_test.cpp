#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/import/imported.h"

using namespace layersim;
using namespace layersim::tests;
using Catch::Contains;

namespace {

class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& bytes)
      : path_(std::filesystem::temp_directory_path() /
              ("layersim_formats_" + std::to_string(getpid()) + "_" + std::to_string(count_++) + ".bin")) {
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  static inline int count_ = 0;
  std::filesystem::path path_;
};

std::string error_of_path(const std::filesystem::path& path) {
  Warnings warnings;
  try {
    static_cast<void>(import_network(path, warnings));
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::bad_input);
    const std::string line = error.what();
    CHECK(line.starts_with(path.string() + ": "));
    CHECK(line.find('\n') == std::string::npos);
    return line.substr(path.string().size() + 2);
  }
  return "no error";
}

std::string error_of(const std::string& bytes) { return error_of_path(TemporaryFile(bytes).path()); }

}  // namespace

TEST_CASE("the format is recognised by content") {
  onnx::ModelProto model = new_model();
  add_input(*model.mutable_graph(), "x", {1, 8});
  add_node(*model.mutable_graph(), "Relu", {"x"}, {"y"});
  add_output(*model.mutable_graph(), "y");
  const TemporaryFile binary(model.SerializeAsString());
  const TemporaryFile text("# a network\nnetwork n opset 17\ninput x f32 [1, 8]\ny = Relu(x)\noutput y\n");
  for (const auto* file : {&binary, &text}) {
    Warnings warnings;
    const Graph graph = import_network(file->path(), warnings);
    CHECK(ops_of(graph) == Names{"Relu"});
    CHECK(names_of(graph, graph.outputs) == Names{"y"});
  }
}

TEST_CASE("what is no network is refused with one clear line") {
  CHECK_THAT(error_of(""), Contains("is empty"));
  CHECK_THAT(error_of("\x1f\x8b\x08 abc"), Contains("gzip"));
  CHECK_THAT(error_of("<!DOCTYPE html><html></html>"), Contains("HTML"));
  CHECK_THAT(error_of("  {\"a\": 1}"), Contains("JSON"));
  CHECK_THAT(error_of(" \n\n"), Contains("blanks"));
  CHECK_THAT(error_of("version https://git-lfs.github.com/spec/v1\noid sha256:0\n"),
             Contains("git lfs pull"));
  CHECK_THAT(error_of("\x89HDF\r\n\x1a\n"), Contains("HDF5"));
  CHECK_THAT(error_of("a,b,c\n1,2,3\n"), Contains("text form") && Contains("line 1"));
  CHECK_THAT(error_of(std::string(64, '\x01')), Contains("not a readable ONNX file"));
  CHECK_THAT(error_of_path(std::filesystem::temp_directory_path()), Contains("is a directory"));
  CHECK_THAT(error_of_path("/dev/null"), Contains("not a regular file"));
  CHECK_THAT(error_of_path("no_such_file.onnx"), Contains("cannot be opened"));
}
