// What the user asked for cannot be: one line says why, and nothing else is written.

#include <catch2/catch.hpp>

#include "sim/core/config_dir.h"
#include "tests/cli/program.h"

using namespace layersim;
using namespace layersim::tests;

TEST_CASE("a precision that the device lacks is refused") {
  check_complaint(
      {"lenet5", "--gpu", "v100-sxm2", "--precision", "bf16"}, 2,
      "--precision: v100-sxm2 has no bf16 by the facts of its file; it has fp64, fp32, fp16, mixed");
  check_complaint({"lenet5", "--gpu", "a100-sxm4-40gb", "--precision", "fp8"}, 2, "has no fp8");
  check_complaint({"lenet5", "--gpu", "k80", "--precision", "mixed"}, 2, "it has fp64, fp32, fp16");
  check_complaint({"scale", "lenet5", "--gpu", "t4", "--precision", "tf32"}, 2, "t4 has no tf32");
  check_complaint({"compare", "lenet5", "--gpus", "a100-sxm4-40gb,t4", "--precision", "tf32"}, 2,
                  "--precision: t4 has no tf32");
  CHECK(run_program({"compare", "lenet5", "--gpus", "all,tf32>=100", "--precision", "tf32"}).exit_code == 0);
  CHECK(run_program({"lenet5", "--gpu", "k80", "--precision", "fp16"}).exit_code == 0);

  const TemporaryFolder folder;
  const std::string device = folder.file("my.json");
  std::string text = read_text((config_dir() / "gpus" / "v100-sxm2.json").string());
  text.replace(text.find("v100-sxm2"), 9, "my-v100");
  write_file(device, text);
  check_complaint({"lenet5", "--gpu-file", device, "--precision", "bf16"}, 2, "my-v100 has no bf16");

  const std::string runs = folder.file("runs.csv");
  write_file(runs, "network,precision,gpu,batch,measured_ms\nlenet5,fp16,t4,1,1\nlenet5,bf16,t4,1,1\n");
  check_complaint({"validate", runs}, 3, "line 3: column 'precision': t4 has no bf16");
}

TEST_CASE("PyTorch users of newer GPUs are pointed to tf32") {
  const auto warnings = [](const char* network) {
    return run_json({network, "--gpu", "a100-sxm4-40gb", "--stack", "pytorch2.1"})["warnings"].dump();
  };
  CHECK_THAT(warnings("lenet5"), Catch::Contains("see --precision tf32"));
  CHECK_THAT(warnings("gpt2"), !Catch::Contains("tf32"));
}
