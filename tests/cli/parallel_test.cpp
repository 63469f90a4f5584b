// Several GPUs on the command line.

#include <catch2/catch.hpp>

#include "sim/core/json.h"
#include "tests/cli/program.h"

using namespace layersim;
using namespace layersim::tests;

namespace {

double number(const Json& json, const char* key) { return json[key].get<double>(); }

}  // namespace

TEST_CASE("a batch on several GPUs adds up, with its communication apart") {
  const Json one = run_json({"resnet50", "--gpu", "v100-sxm2", "--batch", "32"});
  const Json four = run_json({"resnet50", "--gpu", "v100-sxm2", "--batch", "128", "--n-gpus", "4"});
  CHECK(one["n_gpus"] == 1);
  CHECK(one["parallel"].is_null());
  CHECK(four["n_gpus"] == 4);
  CHECK(four["batch"] == 128);
  CHECK(four["parallel"]["kind"] == "ddp");
  CHECK(four["parallel"]["interconnect"] == "nvlink2");
  CHECK(four["parallel"]["device_batch"] == 32);
  CHECK(four["network"]["macs_per_sample"] == one["network"]["macs_per_sample"]);
  CHECK(number(four, "communication_ms") > 0);
  CHECK(number(four, "batch_ms") == Approx(number(one, "batch_ms") + number(four, "communication_ms")));
  CHECK(number(four, "batch_ms") ==
        Approx(number(four, "forward_ms") + number(four, "backward_ms") + number(four, "optimizer_ms") +
               number(four, "overhead_ms") + number(four, "communication_ms")));
  CHECK(number(four, "epoch_s") < 0.3 * number(one, "epoch_s"));
}

TEST_CASE("each kind of parallelism runs, and a bad plan is one line") {
  for (const char* kind : {"ddp", "tp", "pp"}) {
    const Json json = run_json({"gpt2", "--gpu", "a100-sxm4-40gb", "--batch", "8", "--n-gpus", "4", "--nodes",
                                "2", "--parallel", kind, "--interconnect", "infiniband-edr"});
    INFO(kind);
    CHECK(json["parallel"]["kind"] == kind);
    CHECK(json["parallel"]["interconnect"] == "nvlink3, between hosts infiniband-edr");
    CHECK(number(json, "communication_ms") > 0);
  }
  const auto complains = [](std::vector<std::string> more, const std::string& part) {
    std::vector<std::string> arguments{"resnet18", "--gpu", "t4", "--batch", "8"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    check_complaint(arguments, 2, part);
  };
  complains({"--n-gpus", "16"}, "a batch of 8 has less than one sample for each of 16 GPUs");
  complains({"--n-gpus", "4", "--nodes", "3"}, "do not divide evenly");
  complains({"--n-gpus", "4", "--interconnect", "rope"}, "no interconnect 'rope'");
  complains({"--n-gpus", "4", "--parallel", "xx"}, "--parallel");
  complains({"--n-gpus", "0"}, "--n-gpus");
}

TEST_CASE("the table tells what the interconnect does") {
  const Outcome outcome = run_program({"resnet50", "--gpu", "t4", "--batch", "64", "--n-gpus", "2"});
  CHECK(outcome.exit_code == 0);
  for (const char* part :
       {"+ communication", "2 of them, data parallel, 32 samples each", "pcie3-x16 is busy"}) {
    INFO(part);
    CHECK(outcome.out.find(part) != std::string::npos);
  }
}

TEST_CASE("the largest batch counts over all GPUs") {
  const Json one = run_json({"resnet18", "--gpu", "k80", "--max-batch"});
  const Json four = run_json({"resnet18", "--gpu", "k80", "--max-batch", "--batch", "4", "--n-gpus", "4"});
  // A copy of the gradients costs some samples.
  CHECK(number(four, "max_batch") <= 4 * number(one, "max_batch"));
  CHECK(number(four, "max_batch") >= 3.8 * number(one, "max_batch"));
}

TEST_CASE("a scaling curve to thousands of GPUs falls, and all its batches grow") {
  const Json json = run_json(
      {"scale", "resnet50", "--gpu", "v100-sxm2", "--n-gpus", "1:4096", "--interconnect", "ethernet-25"});
  REQUIRE(json["points"].size() == 13);
  CHECK(json["points"][12]["n_gpus"] == 4096);
  CHECK(json["points"][12]["nodes"] == 512);
  CHECK(json["points"][12]["batch"] == 4096 * 32);
  CHECK(number(json["points"][3], "efficiency") > number(json["points"][4], "efficiency"));
  CHECK(number(json["points"][4], "efficiency") > number(json["points"][12], "efficiency"));
  const Json fixed =
      run_json({"scale", "resnet50", "--gpu", "v100-sxm2", "--n-gpus", "1,2,4", "--batch", "256"});
  REQUIRE(fixed["points"].size() == 3);
  CHECK(fixed["points"][2]["batch"] == 256);
  CHECK(number(fixed["points"][2], "batch_ms") < number(fixed["points"][0], "batch_ms"));
  check_complaint({"scale", "resnet50", "--gpu", "t4", "--n-gpus", "some"}, 2, "--n-gpus");
  check_complaint({"scale", "lenet5", "--gpu", "t4", "--max-batch"}, 2,
                  "--max-batch is for predict, not for scale");
  check_complaint({"scale", "lenet5", "--gpu", "t4", "--n-gpus", "4:1,8"}, 2, "'4:1' ends before it begins");
  check_complaint({"scale", "resnet50", "--gpu", "t4", "--batch", "8", "--batch-per-gpu", "8"}, 2, "exclude");
}

TEST_CASE("interconnects are listed and shown with their sources") {
  CHECK(run_json({"interconnects"})["interconnects"].size() > 15);
  const Outcome shown = run_program({"interconnects", "show", "nvlink4"});
  CHECK(shown.exit_code == 0);
  CHECK(shown.out.find("NCCL") != std::string::npos);
  check_complaint({"interconnects", "show", "rope"}, 2, "no interconnect 'rope'");
  check_complaint({"interconnects", "list"}, 2, "show KEY");
}

TEST_CASE("execution traces are written, one a GPU") {
  const TemporaryFolder folder;
  const Outcome outcome = run_program(
      {"resnet18", "--gpu", "v100-sxm2", "--batch", "8", "--n-gpus", "4", "--chakra", folder.file("step")});
  CHECK(outcome.exit_code == 0);
  const std::string first = read_text(folder.file("step.0.et"));
  CHECK(first.size() > 1000);
  CHECK(read_text(folder.file("step.3.et")) == first);
  check_complaint({"resnet18", "--gpu", "t4", "--chakra", folder.file("one")}, 2, "--parallel ddp");
}
