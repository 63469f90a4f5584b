// The command `measure`: outputs, refusals and exit codes. Times are only looked at for being there.

#include <catch2/catch.hpp>
#include <iostream>

#include "sim/core/module_loader.h"
#include "tests/cli/program.h"

using namespace layersim;
using namespace layersim::tests;

namespace {

constexpr const char* kNetwork = R"(
network small opset 17
input x f32 [N, 4]
weight w f32 [4, 3]
h = MatMul(x, w) name "product"
y = Tanh(h) name "tanh"
output y
)";

bool can_measure() {
  if (find_module_entry("layersim_torch_network.so", "layersim_make_torch_network") != nullptr) return true;
  std::cout << "SKIPPED: built without libtorch\n";
  return false;
}

}  // namespace

TEST_CASE("measure says what it runs, and validate reads its row") {
  if (!can_measure()) return;
  const TemporaryFolder folder;
  const std::string network = folder.file("small.txt");
  write_file(network, kNetwork);
  const std::vector<std::string> command{"measure",
                                         network,
                                         "--batch",
                                         "2",
                                         "--force",
                                         "--gpu",
                                         "k80",
                                         "-o",
                                         folder.file("runs.csv"),
                                         "--layers",
                                         folder.file("layers.csv")};
  Json json = run_json(command);
  CHECK(json["batch"] == 2);
  CHECK(json["mode"] == "training");
  CHECK(json["optimizer"] == "sgd");
  CHECK(json["gpu"] == "k80");
  CHECK(json["batch_ms"].get<double>() > 0);
  REQUIRE(json["layers"].size() == 1);
  CHECK(json["layers"][0]["name"] == "product");
  CHECK(json["layers"][0]["backward_ms"].get<double>() > 0);

  CHECK(run_json({"measure", network, "--mode", "forward", "--force"})["optimizer"] == "none");
  REQUIRE(run_program(command).exit_code == 0);
  CHECK(line_count(read_text(folder.file("runs.csv"))) == 3);
  const Json validation = run_json({"validate", folder.file("runs.csv"), "--method", "roofline", "--blame"});
  CHECK(validation["n"] == 2);
  CHECK(validation["runs"][0]["blame"]["unmatched"].empty());
}

TEST_CASE("measure refuses what it cannot do") {
  if (!can_measure()) return;
  const TemporaryFolder folder;
  const std::string odd = folder.file("odd.txt");
  write_file(odd, "network odd opset 17\ninput x f32 [2, 3]\ny = Det(x) name \"odd1\"\noutput y\n");
  check_complaint({"measure", odd, "--mode", "forward"}, 4, "node 'odd1' (Det)");
  const std::string small = folder.file("small.txt");
  write_file(small, kNetwork);
  check_complaint({"measure", small, "--device", "tpu"}, 2, "--device");
  check_complaint({"measure", small, "--mode", "forward", "--optimizer", "sgd"}, 2, "--optimizer");
  check_complaint({"measure", small, "-o", folder.file("runs.csv")}, 2, "--gpu");
  check_complaint({"measure", small, "--threads", "100000"}, 2, "--threads");
  write_file(folder.file("other.csv"), "network,gpu\n");
  check_complaint({"measure", small, "--gpu", "k80", "-o", folder.file("other.csv")}, 3, "other columns");
}

TEST_CASE("a batch that fits into no memory is one line before anything runs") {
  if (!can_measure()) return;
  const TemporaryFolder folder;
  const std::string network = folder.file("wide.txt");
  write_file(network, "network wide opset 17\ninput x f32 [N, 100000]\ny = Tanh(x)\noutput y\n");
  for (const char* mode : {"forward", "training"}) {
    check_complaint({"measure", network, "--batch", "2000000000", "--mode", mode}, 4,
                    network + ": does not fit into memory: a batch needs about ");
  }
}
