// The device files that come with the program, all together. What one file must hold is checked when it is
// read; here is what can go wrong between files, and what is implausible without being a contradiction.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <set>

#include "hwdb/device_db.h"
#include "sim/store/csv_reader.h"
#include "tests/shared_files.h"

using namespace layersim;

namespace {

const std::vector<Device>& devices() {
  static const std::vector<Device> kDevices = DeviceDb().all();
  return kDevices;
}

// Devices of the measured data, and those that a user will ask for first.
const std::vector<std::string> kWanted{
    // clang-format off
    "k40", "k80", "m40", "m60", "p4", "t4", "a10g", "p100-pcie", "v100-sxm2", "v100-pcie-32gb", "a100-pcie-40gb",
    "a100-pcie-80gb", "a100-sxm4-40gb", "h100-sxm", "gtx1080ti", "rtx2080ti", "titan-v", "titan-x-maxwell",
    "titan-x-pascal", "titan-xp", "mi25", "vega-fe", "mi100", "mi210", "mi250", "knl7250", "cpu-2x-e5-2630v3",
    "k20x", "p40", "p100-sxm2", "v100-sxm2-32gb", "v100-pcie-16gb", "a100-sxm4-80gb", "a2", "a10", "a16", "a30", "a40",
    "l4", "l40", "l40s", "h100-pcie", "h100-nvl", "h200-sxm", "gh200", "b200", "gtx970", "gtx980", "gtx980ti",
    "gtx1060", "gtx1070", "gtx1080", "gtx1650", "gtx1660ti", "rtx2060", "rtx2070", "rtx2080", "rtx2080super",
    "titan-rtx", "rtx3060", "rtx3070", "rtx3080", "rtx3090", "rtx3090ti", "rtx4060ti", "rtx4070", "rtx4080",
    "rtx4090", "rtx5070", "rtx5080", "rtx5090", "quadro-p5000", "quadro-p6000", "quadro-rtx6000", "quadro-rtx8000",
    "rtx-a4000", "rtx-a5000", "rtx-a6000", "rtx6000ada", "rtx-pro-6000-blackwell", "vega56", "vega64", "radeon-vii",
    "mi50", "mi60", "mi250x", "mi300x", "mi300a", "mi325x", "rx6900xt", "rx7900xtx", "cpu-xeon-gold-6148",
    "cpu-xeon-platinum-8380", "cpu-epyc-7742", "cpu-epyc-9654", "cpu-i7-8700k", "cpu-altra-q80-30",
    // clang-format on
};

// fp32 lanes of a multiprocessor.
const std::map<std::string, std::set<double>> kCoresPerMultiprocessor{
    {"kepler", {192}},     {"maxwell", {128}}, {"pascal", {64, 128}}, {"volta", {64}},      {"turing", {64}},
    {"ampere", {64, 128}}, {"ada", {128}},     {"hopper", {128}},     {"blackwell", {128}}, {"gcn4", {64}},
    {"gcn5", {64}},        {"cdna1", {64}},    {"cdna2", {64}},       {"cdna3", {64}},      {"rdna1", {64}},
    {"rdna2", {64}},       {"rdna3", {64}},
};

// What the chips of a microarchitecture multiply matrices in besides fp32 and fp64, by the makers' white
// papers and instruction sets: fp16 packed or on matrix units, int8 by dot products of four (dp4a, v_dot4,
// VNNI) or on matrix units.
using Precisions = std::set<std::string>;
const Precisions kNvidiaFp8{"fp16", "bf16", "tf32", "fp8", "int8"};
const std::map<std::string, Precisions> kPrecisionsOfTechnology{
    {"kepler", {}},
    {"maxwell", {}},
    {"pascal", {"fp16", "int8"}},
    {"volta", {"fp16", "int8"}},
    {"turing", {"fp16", "int8"}},
    {"ampere", {"fp16", "bf16", "tf32", "int8"}},
    {"ada", kNvidiaFp8},
    {"hopper", kNvidiaFp8},
    {"blackwell", kNvidiaFp8},
    {"gcn4", {"fp16"}},
    {"gcn5", {"fp16"}},
    {"cdna1", {"fp16", "bf16", "int8"}},
    {"cdna2", {"fp16", "bf16", "int8"}},
    {"cdna3", {"fp16", "bf16", "tf32", "fp8", "int8"}},
    {"rdna1", {"fp16"}},
    {"rdna2", {"fp16", "int8"}},
    {"rdna3", {"fp16", "bf16", "int8"}},
    {"knights_landing", {}},
    {"haswell", {}},
    {"broadwell", {}},
    {"skylake", {}},
    {"coffee_lake", {}},
    {"cascade_lake", {"int8"}},
    {"ice_lake", {"int8"}},
    {"sapphire_rapids", {"fp16", "bf16", "int8"}},
    {"zen1", {}},
    {"zen2", {}},
    {"zen3", {}},
    {"zen4", {"bf16", "int8"}},
    {"zen5", {"bf16", "int8"}},
    {"neoverse_n1", {"fp16", "int8"}},
};
// Chips that differ from their microarchitecture: GP100 has no dp4a, Vega 20 has v_dot4.
const std::map<std::string, Precisions> kPrecisionsOfChip{{"GP100", {"fp16"}}, {"Vega 20", {"fp16", "int8"}}};

// The precisions, besides fp32 and fp64, that the file has a rate for.
Precisions rated_precisions(const Device& device) {
  Precisions rated;
  for (const auto& [name, dtype] :
       {std::pair{"fp16", DType::f16}, {"bf16", DType::bf16}, {"fp8", DType::f8e4m3}, {"int8", DType::i8}}) {
    if (peak_gflops(device, dtype)) rated.insert(name);
  }
  if (device.peak_tf32_tensor_gflops) rated.insert("tf32");
  return rated;
}

bool at_least(const std::optional<double>& larger, const std::optional<double>& smaller) {
  return !larger || !smaller || *larger >= *smaller * 0.99;
}

}  // namespace

TEST_CASE("the devices that a user asks for first are there") {
  std::set<std::string> keys;
  for (const Device& device : devices()) keys.insert(device.key);
  CHECK(keys.size() >= 75);
  CHECK(keys.size() == devices().size());
  for (const std::string& key : kWanted) {
    INFO(key);
    CHECK(keys.count(key) == 1);
  }
}

TEST_CASE("every name of a device leads to it") {
  const DeviceDb db;
  for (const Device& device : devices()) {
    INFO(device.key);
    CHECK(db.find(device.key).key == device.key);
    CHECK(db.find(device.display_name).key == device.key);
    for (const std::string& alias : device.aliases) {
      INFO(alias);
      CHECK(db.find(alias).key == device.key);
    }
  }
}

TEST_CASE("peaks and bandwidths follow from cores, clocks and buses") {
  for (const Device& device : devices()) {
    INFO(device.key);
    const double product = device.flop_per_core_per_clock * device.cores * device.clock_peak_mhz / 1000;
    CHECK(device.peak_fp32_gflops == Approx(product).epsilon(0.03));
    if (device.memory_bus_width_bits && device.memory_data_rate_gt_s) {
      const double bandwidth = *device.memory_bus_width_bits / 8 * *device.memory_data_rate_gt_s;
      CHECK(device.memory_bandwidth_gb_s == Approx(bandwidth).epsilon(0.03));
    }
    if (device.device_type == "gpu") {
      CHECK(at_least(device.clock_peak_mhz, device.clock_base_mhz));
      CHECK(at_least(device.clock_boost_mhz, device.clock_peak_mhz));
      REQUIRE(kCoresPerMultiprocessor.count(device.technology) == 1);
      CHECK(kCoresPerMultiprocessor.at(device.technology).count(device.cores / device.multiprocessors) == 1);
    }
  }
}

TEST_CASE("narrower numbers are not slower on tensor cores") {
  for (const Device& device : devices()) {
    INFO(device.key);
    CHECK(at_least(device.peak_fp16_tensor_gflops, device.peak_fp16_gflops));
    CHECK(at_least(device.peak_fp16_tensor_gflops, device.peak_fp32_gflops));
    CHECK(at_least(device.peak_fp16_tensor_gflops, device.peak_bf16_tensor_gflops));
    CHECK(at_least(device.peak_fp16_tensor_gflops, device.peak_tf32_tensor_gflops));
    CHECK(at_least(device.peak_tf32_tensor_gflops, device.peak_fp32_gflops));
    CHECK(at_least(device.peak_fp8_tensor_gflops, device.peak_fp16_tensor_gflops));
    // Volta's tensor cores take no int8: its rate is that of dp4a.
    const bool int8_on_tensor_cores = device.technology != "volta";
    CHECK(at_least(device.peak_int8_gops,
                   int8_on_tensor_cores ? device.peak_fp16_tensor_gflops : device.peak_fp16_gflops));
    CHECK(at_least(device.peak_int8_gops, device.peak_fp32_gflops));
    CHECK(at_least(device.peak_fp32_tensor_gflops, device.peak_fp32_gflops));
    CHECK(at_least(device.peak_fp64_tensor_gflops, device.peak_fp64_gflops));
    CHECK(at_least(device.peak_fp32_gflops, device.peak_fp64_gflops));
    CHECK(device.peak_fp64_gflops);
  }
}

TEST_CASE("a device has a rate for every precision that its chip computes in, and for no other") {
  for (const Device& device : devices()) {
    INFO(device.key);
    REQUIRE(kPrecisionsOfTechnology.count(device.technology) == 1);
    const auto chip = kPrecisionsOfChip.find(device.chip);
    CHECK(rated_precisions(device) ==
          (chip != kPrecisionsOfChip.end() ? chip->second : kPrecisionsOfTechnology.at(device.technology)));
  }
}

TEST_CASE("a board with several chips lists one of them") {
  std::set<std::string> shared_boards;
  for (const Device& device : devices()) {
    INFO(device.key);
    const bool says_so = device.display_name.find("(one of ") != std::string::npos;
    CHECK(says_so == (device.chips_on_board > 1));
    if (device.chips_on_board > 1) shared_boards.insert(device.key);
  }
  CHECK(shared_boards == std::set<std::string>{"a16", "grid-k520", "k80", "m60", "mi250", "mi250x"});
  const DeviceDb db;
  const Device k80 = db.find("k80");  // of a board with 4992 cores, 24 GiB, 480 GB/s, 300 W
  CHECK(k80.cores == 2496);
  CHECK(k80.memory_gib == 12);
  CHECK(k80.memory_bandwidth_gb_s == 240);
  CHECK(k80.tdp_w == 150);
}

TEST_CASE("every device is plausible") {
  const std::set<std::string> memory_types{"ddr4",  "ddr5", "gddr5", "gddr5x", "gddr6", "gddr6x",
                                           "gddr7", "hbm2", "hbm2e", "hbm3",   "hbm3e", "mcdram"};
  for (const Device& device : devices()) {
    INFO(device.key);
    const bool cpu = device.device_type == "cpu";
    CHECK(device.year >= 2012);
    CHECK(device.year <= 2026);
    const double flop_per_byte = device.peak_fp32_gflops / device.memory_bandwidth_gb_s;
    CHECK(flop_per_byte >= 8);
    CHECK(flop_per_byte <= 110);
    const double gflops_per_watt = device.peak_fp32_gflops / device.tdp_w;
    CHECK(gflops_per_watt >= 7);
    CHECK(gflops_per_watt <= 450);
    CHECK(memory_types.count(device.memory_type) == 1);
    CHECK(device.cores >= device.multiprocessors);
    CHECK(device.multiprocessors == std::floor(device.multiprocessors));
    CHECK(cpu == (device.connectivity == "host"));
    CHECK(cpu == (device.pcie_lanes == 0));
    CHECK((device.connectivity == "nvlink" || device.connectivity == "infinity_fabric") ==
          (device.nvlink_gb_s > 0));
    CHECK(device.facts.size() >= 21);
    for (const DeviceFact& fact : device.facts) CHECK(fact.source.size() > 10);
  }
}

// A peak is a bound: no product in the measured data runs faster.
TEST_CASE("no measured matrix product is faster than the peak of its device") {
  const std::map<std::string, DType> dtypes{{"fp32", DType::f32}, {"fp16", DType::f16}, {"int8", DType::i8}};
  constexpr double kMinMs = 0.2;       // shorter times are too coarse
  constexpr double kTolerance = 1.02;  // data sheets round
  std::map<std::string, Device> by_key;
  for (const Device& device : devices()) by_key[device.key] = device;
  for (const char* file : {"data/layers/neusight_gemm.csv.gz", "data/layers/deepbench_gemm.csv.gz"}) {
    if (!tests::have_shared(file)) return;
    CsvReader rows(tests::shared_path(file).string());
    const auto column = [&](const std::string& name) -> std::size_t {
      const auto found = std::find(rows.header().begin(), rows.header().end(), name);
      return static_cast<std::size_t>(found - rows.header().begin());
    };
    const auto number = [&](const std::string& name) {
      return std::stod(std::string(rows.fields().at(column(name))));
    };
    const bool has_batch = column("batch") < rows.header().size();
    std::map<std::string, double> fastest_share;  // of the peak, by device and precision
    while (rows.next()) {
      const double time_ms = number("time_ms");
      if (time_ms < kMinMs) continue;
      const std::string gpu(rows.fields().at(column("gpu")));
      const std::string precision(rows.fields().at(column("precision")));
      const double flop = 2 * number("m") * number("n") * number("k") * (has_batch ? number("batch") : 1);
      const auto peak = peak_gflops(by_key.at(gpu), dtypes.at(precision));
      INFO(gpu << ' ' << precision);
      REQUIRE(peak);
      double& share = fastest_share[gpu + ' ' + precision];
      share = std::max(share, flop / (time_ms * 1e6) / *peak);
    }
    for (const auto& [name, share] : fastest_share) {
      INFO(name);
      CHECK(share < kTolerance);
      if (name.find("int8") == std::string::npos) CHECK(share > 0.4);
    }
  }
}
