#include "sim/runs/run_networks.h"

#include <catch2/catch.hpp>

#include "sim/core/error.h"
#include "tests/shared_files.h"
#include "tests/store/temporary_folder.h"

using namespace layersim;
using namespace layersim::tests;

namespace {

RunTable read_rows(const TemporaryFolder& folder, const std::string& rows) {
  static_cast<void>(folder.write("small.txt", R"(network small opset 17
input x f32 [N, M, 8]
weight w f32 [8, 4]
y = MatMul(x, w) name "fc"
output y
)"));
  return read_run_table(
      folder.write("runs.csv", "network,gpu,batch,measured_ms,mode,optimizer,precision,stack,dim\n" + rows));
}

}  // namespace

TEST_CASE("a run's network has the run's batch, axes and precision") {
  const TemporaryFolder folder;
  const RunTable table = read_rows(folder,
                                   "small.txt,k80,6,1,training,adam,,tf2.5,M=3\n"
                                   "small.txt,t4,6,1,forward,,fp16,,M=5\n");
  RunNetworks networks;
  const PreparedRun training = networks.prepare(table.runs[0]);
  REQUIRE(training.network->layers.size() == 1);
  CHECK(training.network->layers[0].output_shape == Shape{6, 3, 4});
  CHECK(training.network->layers[0].problem.dtype == DType::f32);
  CHECK(training.conditions.device->key == "k80");
  CHECK(training.conditions.precision == Precision::fp32);
  CHECK(training.conditions.mode == Mode::training);
  CHECK(training.conditions.optimizer == Optimizer::adam);
  CHECK(training.conditions.stack == "tf2.5");
  const PreparedRun forward = networks.prepare(table.runs[1]);
  CHECK(forward.network->layers[0].output_shape == Shape{6, 5, 4});
  CHECK(forward.network->layers[0].problem.dtype == DType::f16);
  CHECK(forward.conditions.precision == Precision::fp16);
  CHECK(forward.conditions.optimizer == Optimizer::none);
}

TEST_CASE("the same network on several devices is taken apart once, at each batch anew") {
  const TemporaryFolder folder;
  const RunTable table = read_rows(folder,
                                   "small.txt,k80,6,1,,,,,M=3\n"
                                   "small.txt,t4,6,1,,,,,M=3\n"
                                   "small.txt,t4,8,1,,,,,M=3\n"
                                   "small.txt,t4,8,1,,,fp16,,M=3\n");
  RunNetworks networks;
  std::vector<PreparedRun> runs;
  for (const Run& run : table.runs) runs.push_back(networks.prepare(run));
  CHECK(runs[0].network == runs[1].network);
  CHECK(runs[1].network != runs[2].network);
  CHECK(runs[2].network != runs[3].network);
  CHECK(runs[1].conditions.device->key == "t4");
  CHECK(runs[2].network->layers[0].output_shape == Shape{8, 3, 4});
}

TEST_CASE("a run that its network does not take is an error that names the network") {
  const TemporaryFolder folder;
  RunNetworks networks;
  const RunTable unbound = read_rows(folder, "small.txt,k80,6,1,,,,,\n");
  CHECK_THROWS_WITH(networks.prepare(unbound.runs[0]),
                    Catch::StartsWith("small.txt: ") && Catch::Contains("M"));
  const RunTable integer = read_rows(folder, "small.txt,t4,6,1,training,sgd,int8,,M=2\n");
  CHECK_THROWS_WITH(networks.prepare(integer.runs[0]), Catch::Contains("int8"));
  static_cast<void>(folder.write("broken.onnx", "no network"));
  const RunTable broken = read_rows(folder, "broken.onnx,k80,6,1,,,,,\n");
  CHECK_THROWS_AS(networks.prepare(broken.runs[0]), Error);
}

TEST_CASE("a file made at a fixed batch is rescaled to the batch of each run") {
  const TemporaryFolder folder;
  static_cast<void>(folder.write("fixed.txt", R"(network fixed opset 17
input x f32 [1, 8]
weight w f32 [8, 4]
y = MatMul(x, w) name "fc"
output y
)"));
  const RunTable table = read_rows(folder, "fixed.txt,k80,16,1,,,,,\nfixed.txt,k80,1,1,,,,,\n");
  RunNetworks networks;
  CHECK(networks.prepare(table.runs[0]).network->layers[0].output_shape == Shape{16, 4});
  CHECK(networks.prepare(table.runs[1]).network->layers[0].output_shape == Shape{1, 4});
}

TEST_CASE("real networks at the batches of real runs") {
  if (!have_shared("networks/profet")) return;
  const TemporaryFolder folder;
  std::string rows;
  for (const char* name : {"ResNet50_224", "VGG11_32", "InceptionV3_128"}) {
    const auto file = shared_path("networks/profet/" + std::string(name) + ".onnx");
    if (!std::filesystem::exists(file)) continue;
    for (const char* batch : {"16", "64"}) {
      rows += std::filesystem::absolute(file).string() + ",v100-sxm2," + batch + ",1,,,,tf2.5,\n";
    }
  }
  const RunTable table = read_rows(folder, rows);
  RunNetworks networks;
  for (const Run& run : table.runs) {
    const PreparedRun prepared = networks.prepare(run);
    INFO(run.network_name);
    CHECK(prepared.network->layers.size() > 5);
    CHECK(prepared.network->layers.front().output_shape.front() == run.batch);
  }
}
