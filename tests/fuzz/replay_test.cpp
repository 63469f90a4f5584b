#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/fuzz/import_one.h"
#include "tests/fuzz/seed_models.h"
#include "tests/network_from_text.h"

using namespace layersim;
using namespace layersim::tests;

TEST_CASE("the models from which fuzzing starts are read without an error") {
  for (const SeedModel& seed : seed_models()) {
    INFO(seed.name);
    Warnings warnings;
    CHECK_NOTHROW(import_onnx_bytes(seed.bytes, seed.name, warnings));
    CHECK_NOTHROW(import_one(seed.bytes));
  }
}

TEST_CASE("the texts from which fuzzing starts are taken apart without an error") {
  for (const SeedModel& seed : seed_texts()) {
    INFO(seed.name);
    CHECK(take_apart(seed.bytes).layers.size() > 2);
  }
}

TEST_CASE("inputs that crashed once give a network or an error") {
  for (const auto& entry : std::filesystem::directory_iterator(LAYERSIM_SOURCE_DIR "/tests/fuzz/crashes")) {
    INFO(entry.path());
    std::ifstream stream(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    CHECK_NOTHROW(import_one(bytes));
  }
}
