#include <catch2/catch.hpp>
#include <filesystem>

#include "sim/import/importer.h"
#include "tests/shared_files.h"

using namespace layersim;

namespace {

void import_all(const std::string& folder) {
  if (!tests::have_shared(folder)) return;
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(tests::shared_path(folder))) {
    if (entry.path().extension() != ".onnx") continue;
    ++files;
    INFO(entry.path());
    Warnings warnings;
    const Graph graph = import_network(entry.path(), warnings);
    CHECK_FALSE(graph.nodes.empty());
    CHECK_FALSE(graph.inputs.empty());
    CHECK_FALSE(graph.outputs.empty());
  }
  CHECK(files > 0);
}

}  // namespace

TEST_CASE("every hard case is read") { import_all("cases"); }

TEST_CASE("every real network is read") { import_all("networks"); }
