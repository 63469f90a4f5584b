// Readers of operation profiles, on small files of each kind, and on real ones where they are there.

#include "sim/methods/transfer/operation_profile.h"

#include <catch2/catch.hpp>
#include <fstream>

#include "sim/core/error.h"
#include "sim/store/csv_reader.h"
#include "tests/shared_files.h"
#include "tests/store/temporary_folder.h"

using namespace layersim;
using namespace layersim::tests;

namespace {

OperationProfile read_text(const std::string& text) {
  const TemporaryFolder folder;
  const std::string file = folder.file("profile");
  std::ofstream(file) << text;
  const auto profiles = read_profiles(file);
  REQUIRE(profiles.size() == 1);
  return profiles.front();
}

std::string complaint(const std::string& text) {
  try {
    (void)read_text(text);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::bad_input);
    return error.what();
  }
  return "no complaint";
}

double time_of(const std::vector<OperationTime>& operations, const std::string& name) {
  for (const OperationTime& operation : operations) {
    if (operation.name == name) return operation.time_ms;
  }
  return -1;
}

}  // namespace

TEST_CASE("a trace with the names of today") {
  const OperationProfile profile =
      read_text(R"({"schemaVersion": 1, "deviceProperties": [{"id": 0}], "traceEvents": [
    {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#3", "ts": 1, "dur": 1000},
    {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#4", "ts": 1001, "dur": 3000},
    {"ph": "X", "cat": "gpu_user_annotation", "name": "ProfilerStep#4", "ts": 1001, "dur": 2900},
    {"ph": "X", "cat": "cpu_op", "name": "aten::addmm", "ts": 2, "dur": 50, "args": {"External id": 7}},
    {"ph": "X", "cat": "cpu_op", "name": "aten::t", "ts": 3, "dur": 5, "args": {"External id": 8}},
    {"ph": "X", "cat": "kernel", "name": "sgemm", "ts": 9, "dur": 600.5, "args": {"device": 2, "External id": 7, "correlation": 1}},
    {"ph": "X", "cat": "kernel", "name": "alone", "ts": 9, "dur": 100, "args": {"device": 2, "correlation": 2}},
    {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD", "ts": 9, "dur": 30, "args": {"device": 2}},
    {"ph": "X", "cat": "gpu_memset", "name": "Memset", "ts": 9, "dur": 4, "args": {"device": 2}},
    {"ph": "i", "name": "kernel", "cat": "kernel", "ts": 1},
    {"ph": "s", "id": 1, "cat": "ac2g", "name": "ac2g", "ts": 1}], "traceName": "x"})");
  CHECK(profile.format == "chrome trace");
  CHECK(profile.operations == 2);
  CHECK(profile.kernels == 2);
  CHECK(profile.kernel_ms == Approx(0.7005));
  CHECK(profile.memcpy_ms == Approx(0.030));
  CHECK(profile.memset_ms == Approx(0.004));
  CHECK(profile.devices == 1);
  CHECK(profile.steps == 2);
  CHECK(profile.step_ms.value() == Approx(2));
  CHECK(profile.device_idle_ms.value() == Approx(4 - 0.7345));
  CHECK(time_of(profile.device, "aten::addmm") == Approx(0.6005));
  CHECK(time_of(profile.device, "alone") == Approx(0.1));
  CHECK(profile.device.front().name == "aten::addmm");
}

TEST_CASE("a trace with the names of 2021 finds operations through runtime calls") {
  const OperationProfile profile = read_text(R"([
    {"ph": "X", "cat": "Operator", "name": "aten::add", "ts": 2, "dur": 50, "args": {"External id": 5}},
    {"ph": "X", "cat": "Operator", "name": "ProfilerStep#5", "ts": 2, "dur": 500, "args": {"External id": 4}},
    {"ph": "X", "cat": "Runtime", "name": "cudaLaunchKernel", "ts": 2, "dur": 5, "args": {"correlation": 11, "external id": 5}},
    {"ph": "X", "cat": "Kernel", "name": "k", "ts": 9, "dur": 10, "args": {"device": 0, "correlation": 11, "external id": 0}}])");
  CHECK(profile.operations == 2);
  CHECK(profile.steps == 1);
  CHECK(time_of(profile.device, "aten::add") == Approx(0.01));
}

TEST_CASE("JSON that is no trace is refused") {
  CHECK(complaint(R"({"schema": "1.0.1", "nodes": [{"name": "x", "traceEvents": []}]})")
            .find("without traceEvents") != std::string::npos);
  CHECK(complaint(R"({"traceEvents": []})").find("without operations and kernels") != std::string::npos);
  CHECK(complaint(R"({"traceEvents": [{"ph": "X", "cat")").find("cut off") != std::string::npos);
  CHECK(complaint("[1, 2").find("cut off") != std::string::npos);
  CHECK(complaint("").find("is empty") != std::string::npos);
  CHECK(complaint("a,b\n1,2\n").find("is no operation profile") != std::string::npos);
}

TEST_CASE("a table of key_averages with mixed units") {
  const OperationProfile profile = read_text(
      "-----------------  ------------  ------------  ------------  ------------  \n"
      "             Name      Self CPU     Self CUDA    # of Calls   Total FLOPs  \n"
      "-----------------  ------------  ------------  ------------  ------------  \n"
      "     aten::conv2d     197.000us       0.000us             4     18.000  \n"
      " aten::cudnn_conv       5.465ms       2.970ms             4            --  \n"
      "        aten::mul      29.000us      30.000us            12            --  \n"
      "-----------------  ------------  ------------  ------------  ------------  \n"
      "Self CPU time total: 1.021s\n"
      "Self CUDA time total: 4.000ms\n");
  CHECK(profile.format == "key_averages");
  CHECK(profile.kernel_ms == Approx(4));
  CHECK(profile.host_ms == Approx(1021));
  CHECK(profile.device_ms() == Approx(3));
  CHECK(profile.device.size() == 2);
  CHECK(profile.host.size() == 3);
  CHECK(profile.operations == 16);
  REQUIRE(profile.warnings.size() == 1);
  CHECK(profile.warnings.front().find("75 %") != std::string::npos);
}

TEST_CASE("key_averages without a unit is refused with its line") {
  const std::string text =
      complaint("----  --------  \nName  Self CPU  \n----  --------  \n   a       12  \n----  --------  \n");
  CHECK(text.find("line 4: '12' is no time with its unit") != std::string::npos);
}

TEST_CASE("statistics of TensorFlow: device and host apart, idle time apart") {
  const std::string csv =
      "\"Rank\",\"Host/device\",\"Type\",\"Operation\",\"#Occurrences\",\"Total time (us)\",\"Total "
      "self-time (us)\"\n"
      "\"1\",\"Device\",\"Conv2D\",\"a/b,c\",\"32\",\"2000\",\"1500.5\"\n"
      "\"2\",\"Device\",\"IDLE\",\"IDLE\",\"1\",\"400\",\"400\"\n"
      "\"3\",\"Device\",\"Conv2D\",\"d\",\"8\",\"100\",\"99.5\"\n"
      "\"4\",\"Host\",\"_Recv\",\"e\",\"3\",\"70\",\"60\"\n";
  const OperationProfile profile = read_text(csv);
  CHECK(profile.format == "tensorflow stats");
  CHECK(profile.operations == 40);
  CHECK(profile.kernels == 2);
  CHECK(profile.kernel_ms == Approx(1.6));
  CHECK(profile.host_ms == Approx(0.06));
  CHECK(profile.device_idle_ms.value() == Approx(0.4));
  CHECK(time_of(profile.device, "Conv2D") == Approx(1.6));
  CHECK(complaint("\"Host/device\",\"Type\"\n\"Device\",\"Conv2D\"\n").find("'#Occurrences'") !=
        std::string::npos);
}

TEST_CASE("of two JSON tables of TensorFlow the one without idle time counts") {
  const auto table = [](const std::string& rows) {
    return R"-({"cols": [{"id": "a", "label": "Host/device"}, {"id": "b", "label": "Type"}, {"id": "c", "label": "#Occurrences"},
      {"id": "d", "label": "Total self-time (us)"}], "rows": [)-" +
           rows + "]}";
  };
  const std::string relu = R"({"c": [{"v": "Device"}, {"v": "Relu"}, {"v": 2}, {"v": 10.5}]})";
  const std::string idle = R"({"c": [{"v": "Device"}, {"v": "IDLE"}, {"v": 1}, {"v": 100}]})";
  const OperationProfile profile = read_text("[" + table(idle + "," + relu) + "," + table(relu) + "]");
  CHECK(profile.operations == 2);
  CHECK(profile.kernel_ms == Approx(0.0105));
  CHECK(profile.device_idle_ms.value() == Approx(0.1));
  CHECK(complaint(R"-([{"cols": [], "rows": [)-").find("cut off") != std::string::npos);
}

TEST_CASE("rows of profiles and lists of operations") {
  const TemporaryFolder folder;
  const std::string file = folder.file("rows.csv");
  std::ofstream(file) << "gpu,model,pixel,batch,profiled_steps,batch_ms,device_conv2d_ms,device_idle_ms,"
                         "device_relu_ms,host_x_ms\n"
                         "k80,A,32,16,2,10,15,4,0,1\n"
                         "t4,A,32,16,2,,15,,3,1\n";
  const auto rows = read_profiles(file);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].gpu == "k80");
  CHECK(rows[0].batch == 16);
  CHECK(rows[0].step_ms.value() == 10);
  CHECK(rows[0].device.size() == 1);
  CHECK(rows[0].device_idle_ms.value() == 4);
  CHECK_FALSE(rows[1].step_ms.has_value());
  CHECK_FALSE(rows[1].device_idle_ms.has_value());
  CHECK(rows[1].device_ms() == 18);

  const OperationProfile list = read_text("operation,time_ms\nConv2D,12.5\nRelu,1\nConv2D,0.5\n");
  CHECK(time_of(list.device, "Conv2D") == 13);
  CHECK(complaint("operation,time_ms\nConv2D,x\n").find("line 2, 'time_ms': 'x'") != std::string::npos);
}

TEST_CASE("real profiles have the expected totals") {
  if (!have_shared("logs/expected.csv")) return;
  CsvReader expected(shared_path("logs/expected.csv").string());
  const auto field = [&](const std::string& name) {
    for (std::size_t i = 0; i < expected.header().size(); ++i) {
      if (expected.header()[i] == name) return std::string(expected.fields()[i]);
    }
    throw internal_error("no column " + name);
  };
  int files = 0;
  while (expected.next()) {
    const std::string name = field("file");
    if (!name.starts_with("profiles/")) continue;
    ++files;
    INFO(name);
    const std::string file = shared_path("logs/" + name).string();
    if (field("kind") == "refuse") {
      CHECK_THROWS_AS(read_profiles(file), Error);
      continue;
    }
    const OperationProfile profile = read_profiles(file).front();
    CHECK(profile.format == field("kind"));
    const auto check = [&](const std::string& column, double value) {
      INFO(column);
      if (const std::string text = field(column); !text.empty())
        CHECK(value == Approx(std::stod(text)).epsilon(1e-9));
    };
    check("operations", static_cast<double>(profile.operations));
    check("kernels", static_cast<double>(profile.kernels));
    check("kernel_us", 1000 * profile.kernel_ms);
    check("memcpy_us", 1000 * profile.memcpy_ms);
    check("memset_us", 1000 * profile.memset_ms);
    check("devices", static_cast<double>(profile.devices));
    check("steps", static_cast<double>(profile.steps));
  }
  CHECK(files == 10);
}

TEST_CASE("real tables tell the time on the host") {
  if (!have_shared("logs/profiles")) return;
  const auto host_ms = [](const std::string& name) {
    return read_profiles(shared_path("logs/profiles/" + name).string()).front().host_ms;
  };
  CHECK(host_ms("key_averages_resnet18_cpu.txt") == Approx(67.016));
  CHECK(host_ms("key_averages_flops_cuda.txt") == Approx(21.938));
  CHECK(host_ms("tf_stats_estimator_host.json") == Approx(15.893819));
}
