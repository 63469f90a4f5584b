// TorchScript archives that are written here by libtorch.

#include "tests/torchscript/archives.h"

using namespace layersim;
using namespace layersim::tests;
using Catch::Contains;

TEST_CASE("a network of TorchScript becomes layers") {
  if (!have_torch()) return;
  for (const char* name : {"conv.pt", "frozen.pt", "half.pt"}) {
    INFO(name);
    const Network network = take_apart(archive(name), only_input({2, 3, 8, 8}));
    CHECK(network.params == 112 + 1450);
    CHECK(network.macs_min == 2 * (3888 + 1440));
    CHECK(network.weight_bytes == 1562 * (std::string(name) == "half.pt" ? 2 : 4));
    CHECK(to_string(*network.graph.value(network.graph.outputs.at(0)).tensor.shape) == "2x10");
    for (const Layer& layer : network.layers) CHECK(layer.problem.kind != nullptr);
  }
}

TEST_CASE("the batch applies to a TorchScript network") {
  if (!have_torch()) return;
  ShapeBindings bindings = only_input({1, 3, 8, 8});
  bindings.batch = 16;
  CHECK(take_apart(archive("conv.pt"), bindings).macs_min == 16 * (3888 + 1440));
}

TEST_CASE("TorchScript needs the shapes of its inputs") {
  if (!have_torch()) return;
  const Error error = error_of(archive("conv.pt"), {});
  CHECK(error.kind() == ErrorKind::bad_use);
  CHECK_THAT(error.what(), Contains("input 'x'") && Contains("--input"));
  // What its code demands is held against them.
  CHECK_THAT(error_of(archive("conv.pt"), only_input({3, 8})).what(), Contains("expected 4 axes"));
  CHECK_THAT(error_of(archive("conv.pt"), only_input({1, 4, 8, 8})).what(), Contains("4 channels"));
}

TEST_CASE("loops and branches of TorchScript") {
  if (!have_torch()) return;
  SECTION("a known count: every turn") {
    const Network network = take_apart(archive("loop.pt"), only_input({1, 8}));
    CHECK(network.macs_min == 5 * 64);
    CHECK(network.params == 64);
  }
  SECTION("the data decides the branch: a range") {
    const Network network = take_apart(archive("branches.pt"), only_input({1, 8}));
    CHECK(network.macs_min == 2 * 128);
    CHECK(network.macs_max == 2 * 256);
  }
  SECTION("the data decides the count: the user gives it") {
    ShapeBindings bindings = only_input({1, 8});
    bindings.dims["loop"] = 7;
    CHECK(take_apart(archive("open_loop.pt"), bindings).macs_min == 7 * 64);
  }
}

TEST_CASE("recurrence, attention and tied weights of TorchScript") {
  if (!have_torch()) return;
  const Network recurrent = take_apart(archive("lstm_attention.pt"), only_input({2, 10, 8}));
  CHECK(recurrent.macs_min == 10 * 2 * 4 * 16 * (8 + 16) + 2 * 2 * 10 * 10 * 16);
  CHECK(recurrent.params == 64 * (8 + 16) + 128);
  const Network tied = take_apart(archive("tied.pt"), only_input({2, 7}));
  CHECK(tied.params == 1600);
  CHECK(tied.macs_min == 2 * 7 * 1600);
  CHECK(tied.graph.value(tied.graph.inputs.at(0)).tensor.dtype == DType::i64);
}

TEST_CASE("an operator of TorchScript without a model is a row of its own") {
  if (!have_torch()) return;
  const Network network = take_apart(archive("unknown_operator.pt"), only_input({2, 8}));
  REQUIRE(network.layers.size() == 1);
  CHECK(network.layers[0].problem.kind == nullptr);
  CHECK(network.layers[0].op == "fft_fft");
}

TEST_CASE("an archive runs no code of its own") {
  if (!have_torch()) return;
  const std::filesystem::path trace = archive("written_by_archive");
  std::filesystem::remove(trace);
  for (const char* name : {"hostile_default.pt", "hostile_setstate.pt"}) {
    INFO(name);
    const Error error = error_of(archive(name), only_input({1, 3, 8, 8}));
    CHECK(error.kind() == ErrorKind::bad_input);
    CHECK_THAT(error.what(), Contains("refused"));
    CHECK_FALSE(std::filesystem::exists(trace));
  }
}

TEST_CASE("damaged archives are refused with one clear line") {
  if (!have_torch()) return;
  for (const char* name : {"truncated.pt", "weights_only.pt"}) {
    INFO(name);
    const Error error = error_of(archive(name), only_input({1, 3, 8, 8}));
    CHECK(error.kind() == ErrorKind::bad_input);
    CHECK_THAT(error.what(), Contains(name) && Contains("TorchScript"));
  }
}
