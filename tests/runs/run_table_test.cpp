#include "sim/runs/run_table.h"

#include <catch2/catch.hpp>

#include "sim/core/error.h"
#include "tests/store/temporary_folder.h"

using namespace layersim;
using namespace layersim::tests;

namespace {

constexpr const char* kNetwork = R"(network small opset 17
input x f32 [N, 8]
weight w f32 [8, 4]
y = MatMul(x, w) name "fc"
output y
)";

// The message of the error that reading this text gives; empty when it can be read.
std::string complaint(const std::string& csv) {
  const TemporaryFolder folder;
  static_cast<void>(folder.write("small.txt", kNetwork));
  const std::string file = folder.write("runs.csv", csv);
  try {
    static_cast<void>(read_run_table(file));
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::bad_input);
    const std::string message = error.what();
    REQUIRE(message.starts_with(file + ": "));
    return message.substr(file.size() + 2);
  }
  return "";
}

}  // namespace

TEST_CASE("a table of runs: what each column says, and the columns that it does not know") {
  const TemporaryFolder folder;
  const std::string network = folder.write("small.txt", kNetwork);
  const std::string file =
      folder.write_gzip("runs.csv.gz",
                        "network,gpu,stack,precision,mode,optimizer,n_gpus,batch,measured_ms,who,dim,input\n"
                        "small.txt,Tesla K80,tf2.5,fp16,training,adam,2,64,12.5,me,seq=8;heads=2,x=64x8\n"
                        "resnet50,cpu-e5-2690v4,,,forward,sgd,0,1,3e-1,\"a, b\",,\n"
                        "vgg16,Tesla K80,,,,,,8,7,,,\n");
  const RunTable table = read_run_table(file);
  REQUIRE(table.runs.size() == 3);
  const Run& first = table.runs[0];
  CHECK(first.line == 2);
  CHECK(table.place(first) == file + ": line 2");
  CHECK(first.network == network);
  CHECK(first.network_name == "small.txt");
  CHECK(first.device->key == "k80");
  CHECK(first.stack == "tf2.5");
  CHECK(first.precision == Precision::fp16);
  CHECK(first.mode == Mode::training);
  CHECK(first.optimizer == Optimizer::adam);
  CHECK(first.parallel.cluster.devices == 2);
  CHECK(first.batch == 64);
  CHECK(first.measured_ms == 12.5);
  CHECK(first.bindings.dims == std::map<std::string, std::int64_t>{{"seq", 8}, {"heads", 2}});
  CHECK(first.bindings.inputs == std::map<std::string, Shape>{{"x", {64, 8}}});
  CHECK_FALSE(first.bindings.batch);
  const Run& second = table.runs[1];
  CHECK(second.network == "resnet50");
  CHECK(second.optimizer == Optimizer::none);  // forward
  CHECK(second.parallel.cluster.devices == 1);
  CHECK(second.measured_ms == 0.3);
  CHECK(table.columns[9] == "who");
  CHECK(second.row[9] == "a, b");
  const Run& third = table.runs[2];
  CHECK(third.mode == Mode::training);
  CHECK(third.optimizer == Optimizer::none);
  CHECK_FALSE(third.precision);
  CHECK(third.device == first.device);  // read once
}

TEST_CASE("without the columns a run is a training step in sgd on one device, as predict has it") {
  const TemporaryFolder folder;
  const RunTable table = read_run_table(folder.write("runs.csv",
                                                     "batch,framework,gpu,network,measured_ms\n"
                                                     "4,pytorch1.0,t4,alexnet,9\n"));
  CHECK(table.runs[0].mode == Mode::training);
  CHECK(table.runs[0].optimizer == Optimizer::sgd);
  CHECK(table.runs[0].parallel.cluster.devices == 1);
  CHECK(table.runs[0].stack == "pytorch1.0");
}

TEST_CASE("a file beside the table goes before a network of the zoo") {
  const TemporaryFolder folder;
  const std::string network = folder.write("vgg16", kNetwork);
  const RunTable table =
      read_run_table(folder.write("runs.csv", "network,gpu,batch,measured_ms\nvgg16,t4,4,9\n"));
  CHECK(table.runs[0].network == network);
}

TEST_CASE("a damaged table of runs is told by line and column") {
  const std::string header = "network,gpu,batch,measured_ms,mode,optimizer,precision,n_gpus,dim,input\n";
  const auto row = [&](const std::string& text) { return complaint(header + text + '\n'); };
  CHECK(row("small.txt,k80,4,1,forward,sgd,fp32,1,a=1,2x3").empty());
  CHECK(row("vgg61,k80,4,1,,,,,,") ==
        "line 2: column 'network': 'vgg61' is neither a file beside the table nor a network of the zoo");
  CHECK(row(",k80,4,1,,,,,,") == "line 2: column 'network': is empty");
  CHECK(row("vgg16,k81,4,1,,,,,,").starts_with("line 2: column 'gpu': "));
  CHECK(row("vgg16,k81,4,1,,,,,,").find("k80") != std::string::npos);
  CHECK(row("vgg16,,4,1,,,,,,") == "line 2: column 'gpu': is empty");
  CHECK(row("vgg16,k80,0,1,,,,,,") ==
        "line 2: column 'batch': a batch takes a whole number of at least 1, not '0'");
  CHECK(row("vgg16,k80,4.5,1,,,,,,").starts_with("line 2: column 'batch': "));
  CHECK(row("vgg16,k80,4,-1,,,,,,") == "line 2: column 'measured_ms': '-1' is not a time above zero");
  CHECK(row("vgg16,k80,4,nan,,,,,,").starts_with("line 2: column 'measured_ms': "));
  CHECK(row("vgg16,k80,4,1e999,,,,,,").starts_with("line 2: column 'measured_ms': "));
  CHECK(row("vgg16,k80,4,,,,,,,") == "line 2: column 'measured_ms': is empty");
  CHECK(row("vgg16,k80,4,1,train,,,,,") == "line 2: column 'mode': 'train' is none of forward, training");
  CHECK(
      row("vgg16,k80,4,1,,lion,,,,").starts_with("line 2: column 'optimizer': 'lion' is none of none, sgd"));
  CHECK(row("vgg16,k80,4,1,,,fp31,,,").starts_with("line 2: column 'precision': 'fp31' is none of"));
  CHECK(row("vgg16,k80,4,1,,,,0,,").starts_with("line 2: column 'n_gpus': 0 is for CPUs: k80 is a GPU"));
  CHECK(row("vgg16,k80,4,1,,,,-2,,").starts_with("line 2: column 'n_gpus': "));
  CHECK(row("vgg16,k80,4,1,,,,,a,").starts_with("line 2: column 'dim': "));
  CHECK(row("vgg16,k80,4,1,,,,,a=1;a=2,") == "line 2: column 'dim': an axis a is given twice");
  CHECK(row("vgg16,k80,4,1,,,,,,x=3xb").starts_with("line 2: column 'input': "));
  CHECK(row("vgg16,k80,4,1").starts_with("line 2: 4 fields"));
  CHECK(complaint("network,gpu,batch\n") == "has no column 'measured_ms'");
  CHECK(complaint(header) == "has no rows");
  CHECK(complaint("") == "is empty");
  CHECK(complaint("network,gpu,batch,measured_ms,stack,framework\n").find("mean the same") !=
        std::string::npos);
}
