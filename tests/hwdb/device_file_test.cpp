#include "hwdb/device_file.h"

#include <catch2/catch.hpp>

#include "sim/core/error.h"
#include "sim/core/json.h"

using namespace layersim;
using Catch::Matchers::Contains;
using Catch::Matchers::Equals;

namespace {

// A device with all that must be there and little else.
Json sample_device() {
  Json device = {{"key", "x1"},          {"display_name", "Example X1"}, {"aliases", {"Example One"}},
                 {"device_type", "gpu"}, {"manufacturer", "example"},    {"market", "gaming"}};
  const auto fact = [&](const char* key, const Json& value) {
    device[key] = {{"value", value}, {"source", "sheet"}};
  };
  fact("technology", "examplar");
  fact("chip", "E1");
  fact("year", 2020);
  fact("chips_on_board", 1);
  fact("multiprocessors", 10);
  fact("cores", 1000);
  fact("flop_per_core_per_clock", 2);
  fact("clock_base_mhz", 900);
  fact("clock_boost_mhz", 1000);
  fact("clock_peak_mhz", 1000);
  fact("peak_fp32_gflops", 2000);
  fact("memory_gib", 8);
  fact("memory_type", "gddr6");
  fact("memory_bus_width_bits", 256);
  fact("memory_data_rate_gt_s", 14);
  fact("memory_bandwidth_gb_s", 448);
  fact("connectivity", "pcie");
  fact("pcie_generation", 3);
  fact("pcie_lanes", 16);
  fact("nvlink_gb_s", 0);
  fact("tdp_w", 200);
  device["sources"] = {{"sheet", "Example, X1, data sheet, 2020"}};
  return device;
}

std::string error_of(const std::string& text) {
  try {
    (void)read_device_text("x1.json", text);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::bad_input);
    return error.what();
  }
  return "";
}

// The error after `change` is made to the sample.
template <typename Change>
std::string error_after(Change change) {
  Json device = sample_device();
  change(device);
  return error_of(device.dump());
}

std::string error_with(const std::string& key, const Json& value) {
  return error_after([&](Json& device) { device[key]["value"] = value; });
}

}  // namespace

TEST_CASE("a device file gives its numbers, texts and sources") {
  const Device device = read_device_text("x1.json", sample_device().dump());
  CHECK(device.key == "x1");
  CHECK(device.aliases == std::vector<std::string>{"Example One"});
  CHECK(device.year == 2020);
  CHECK(device.cores == 1000);
  CHECK(device.clock_boost_mhz == 1000);
  CHECK(device.memory_type == "gddr6");
  CHECK_FALSE(device.peak_fp64_gflops);
  REQUIRE(device.facts.size() == 21);
  const DeviceFact& last = device.facts.back();
  CHECK(last.name == "tdp_w");
  CHECK(last.value == "200");
  CHECK(last.source == "Example, X1, data sheet, 2020");
}

TEST_CASE("a device file must have what it must, once, and nothing else") {
  const Json sample = sample_device();
  for (auto item = sample.begin(); item != sample.end(); ++item) {
    const std::string& key = item.key();
    if (key == "clock_base_mhz" || key == "clock_boost_mhz" || key == "memory_bus_width_bits" ||
        key == "memory_data_rate_gt_s") {
      continue;
    }
    INFO(key);
    CHECK_THAT(error_after([&](Json& device) { device.erase(key); }),
               Equals("x1.json: key '" + key + "': missing"));
  }
  CHECK_THAT(error_after([](Json& device) { device["tdp"] = 5; }), Equals("x1.json: key 'tdp': unknown key"));
  CHECK_THAT(error_after([](Json& device) { device["tdp_w"]["unit"] = "W"; }),
             Equals("x1.json: key 'tdp_w.unit': unknown key"));
  CHECK_THAT(error_after([](Json& device) { device["tdp_w"].erase("source"); }),
             Equals("x1.json: key 'tdp_w.source': missing"));
  CHECK_THAT(error_after([](Json& device) { device["tdp_w"] = 200; }),
             Equals("x1.json: key 'tdp_w': must be an object, not a whole number"));
  std::string twice = sample.dump();
  twice.insert(1, R"("key": "x1", )");
  CHECK_THAT(error_of(twice), Equals("x1.json: key 'key': given twice"));
}

TEST_CASE("a device file's multiprocessors must have a believable number of its cores") {
  const std::string what = "x1.json: key 'multiprocessors': each has ";
  CHECK_THAT(error_with("multiprocessors", 2000),
             Equals(what + "0.5 of the 1000 cores, which is not within 1 to 1024"));
  CHECK_THAT(error_after([](Json& device) {
               device["multiprocessors"]["value"] = 1;
               device["cores"]["value"] = 2000;
             }),
             Equals(what + "2000 of the 2000 cores, which is not within 1 to 1024"));
  CHECK(error_with("multiprocessors", 1).empty());
  CHECK(error_with("multiprocessors", 1000).empty());
}

TEST_CASE("a device file's values must be of their type and believable") {
  CHECK_THAT(error_after([](Json& device) { device["manufacturer"] = ""; }),
             Equals("x1.json: key 'manufacturer': must not be empty"));
  CHECK_THAT(error_with("tdp_w", "200"), Equals("x1.json: key 'tdp_w.value': must be a number, not text"));
  CHECK_THAT(error_with("tdp_w", -1), Contains("key 'tdp_w.value': -1 is not within"));
  CHECK_THAT(error_with("year", 2020.5), Equals("x1.json: key 'year.value': must be a whole number"));
  CHECK_THAT(error_with("chip", ""), Equals("x1.json: key 'chip.value': must not be empty"));
  CHECK_THAT(error_after([](Json& device) { device["key"] = "../x1"; }),
             Contains("key 'key': must be lower-case"));
  CHECK_THAT(error_after([](Json& device) { device["device_type"] = "tpu"; }),
             Contains("key 'device_type': 'tpu' is not one of gpu, cpu"));
  CHECK_THAT(error_after([](Json& device) { device["aliases"] = {1}; }),
             Equals("x1.json: key 'aliases[0]': must be text, not a whole number"));
}

TEST_CASE("a device file must not contradict itself") {
  CHECK_THAT(error_with("clock_peak_mhz", 1100), Contains("key 'peak_fp32_gflops': 2000 is not within 3 %"));
  CHECK_THAT(error_with("memory_data_rate_gt_s", 7),
             Contains("key 'memory_bandwidth_gb_s': 448 is not within 3 %"));
  CHECK_THAT(error_with("clock_base_mhz", 1001),
             Equals("x1.json: key 'clock_base_mhz': above clock_boost_mhz"));
  CHECK_THAT(error_after([](Json& device) { device["tdp_w"]["source"] = "rumour"; }),
             Equals("x1.json: key 'tdp_w.source': 'rumour' is not among the sources"));
  CHECK_THAT(error_after([](Json& device) { device["sources"]["unused"] = "Nobody"; }),
             Equals("x1.json: key 'sources.unused': no value cites this source"));
}

TEST_CASE("the peak of a device depends on the data type") {
  Device device = read_device_text("x1.json", sample_device().dump());
  CHECK(peak_gflops(device, DType::f32) == 2000);
  for (const auto absent : {DType::f64, DType::f16, DType::bf16, DType::f8e4m3, DType::f8e5m2, DType::i8,
                            DType::u8, DType::i64}) {
    CHECK_FALSE(peak_gflops(device, absent));
  }
  device.peak_fp16_gflops = 31;  // slow fp16 units are left aside
  CHECK(peak_gflops(device, DType::f16) == 2000);
  device.peak_fp32_tensor_gflops = 4000;
  device.peak_fp16_tensor_gflops = 16000;
  device.peak_bf16_tensor_gflops = 15000;
  device.peak_fp8_tensor_gflops = 32000;
  device.peak_int8_gops = 33000;
  device.peak_fp64_gflops = 1000;
  device.peak_fp64_tensor_gflops = 1500;
  CHECK(peak_gflops(device, DType::f32) == 4000);
  CHECK(peak_gflops(device, DType::f16) == 16000);
  CHECK(peak_gflops(device, DType::bf16) == 15000);
  CHECK(peak_gflops(device, DType::f8e5m2) == 32000);
  CHECK(peak_gflops(device, DType::u8) == 33000);
  CHECK(peak_gflops(device, DType::f64) == 1500);
}
