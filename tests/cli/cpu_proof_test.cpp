// The small version of bench/cpu_proof.sh: layers of this CPU are sampled and learned, a network is predicted
// by them and measured. The chain must hold; how good the times are is docs/accuracy.md's matter, since
// other work on the machine slows down now one and now the other, 35 times in one case.

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "sim/core/module_loader.h"
#include "tests/cli/program.h"

using namespace layersim;
using namespace layersim::tests;

namespace {

bool has_all_modules() {
  for (const auto& [module, entry] : {std::pair{"layersim_torch_network.so", "layersim_make_torch_network"},
                                      std::pair{"layersim_torch_sampler.so", "layersim_torch_backend"},
                                      std::pair{"layersim_torch.so", "layersim_torch_trainer"}}) {
    if (find_module_entry(module, entry) != nullptr) continue;
    std::cout << "SKIPPED: built without " << module << "\n";
    return false;
  }
  return true;
}

}  // namespace

TEST_CASE("a network's times follow from sampled layers of this CPU") {
  if (!has_all_modules()) return;
  const TemporaryFolder folder;
  const std::string build = std::filesystem::path(LAYERSIM_PROGRAM).parent_path().string();
  const std::string command = "bash '" LAYERSIM_SOURCE_DIR "/bench/cpu_proof.sh' '" + build + "' '" +
                              folder.path().string() + "' small >'" + folder.file("log") + "' 2>&1";
  const int status = std::system(command.c_str());  // NOLINT(concurrency-mt-unsafe)
  INFO(read_text(folder.file("log")));
  REQUIRE(status == 0);

  const Json training = Json::parse(read_text(folder.file("training.json")));
  REQUIRE(training["networks"].size() == 1);
  CHECK(training["networks"][0]["overall"]["n"].get<int>() > 5);
  CHECK(training["networks"][0]["overall"]["mape"].get<double>() > 0);

  const Json runs = Json::parse(read_text(folder.file("validation.json")))["runs"];
  REQUIRE(runs.size() == 4);
  for (const Json& run : runs) {
    INFO(run.dump());
    CHECK(run["predicted_ms"].get<double>() > 0);
    CHECK(run["measured_ms"].get<double>() > 0);
  }
}
