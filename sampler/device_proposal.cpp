#include "sampler/device_proposal.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "sampler/measurement.h"
#include "sim/core/error.h"
#include "sim/core/json.h"

namespace layersim {
namespace {

// Clocks that a device file may have, with some room.
constexpr double kLowestClockMhz = 150;
constexpr double kHighestClockMhz = 8000;
constexpr int kAssumedFmaUnits = 2;

// Rate of the fastest repetition: what the machine can do.
double best_rate(Backend& backend, const Problem& problem, double work) {
  const Protocol protocol{.warm_up_calls = 2, .repetitions = 7, .shortest_repetition_ms = 20};
  const SampleResult result = measure(backend, {.problem = problem}, protocol, {.attempts = 1});
  if (!result.skipped.empty()) throw CannotMeasure(result.skipped);
  return work / (result.timing.min_ms * 1e6);  // in 1e9 a second
}

double measured_gflops(Backend& backend) {
  const Problem product =
      make_problem(*find_layer_kind("dense"), DType::f32,
                   {{"rows", 1024}, {"in_features", 1024}, {"out_features", 1024}, {"bias", 0}});
  return best_rate(backend, product, product.kind->work(product).forward.flop);
}

// Tensors of 128 MiB each, which no cache holds.
double measured_gb_s(Backend& backend) {
  constexpr std::int64_t kElements = std::int64_t{1} << 25;
  const Problem sum = make_problem(
      *find_layer_kind("elementwise"), DType::f32,
      {{"elements", kElements}, {"operand_elements", 2 * kElements}, {"operands", 2}, {"output_bits", 32}});
  return best_rate(backend, sum, sum.kind->work(sum).forward.bytes());
}

// "AMD EPYC 7763 64-Core Processor", 2 -> "cpu-amd-epyc-7763-64-core-processor-2t".
std::string device_key(const std::string& cpu, int threads) {
  std::string key = "cpu-";
  for (const char c : cpu) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter) != 0) {
      key += static_cast<char>(std::tolower(letter));
    } else if (key.back() != '-') {
      key += '-';
    }
  }
  if (key.back() != '-') key += '-';
  return key + std::to_string(threads) + 't';
}

// As many as the registers have, or so many that the rate that was measured is one of a clock that can be.
double lanes_for(double gflops, double lanes) {
  const auto clock_mhz = [&] { return gflops * 1000 / (2 * lanes); };
  while (lanes > 1 && clock_mhz() < kLowestClockMhz) lanes = std::floor(lanes / 2);
  while (clock_mhz() > kHighestClockMhz) lanes *= 2;
  return lanes;
}

double rounded(double value) { return std::round(value * 100) / 100; }

}  // namespace

std::string propose_cpu_device(Backend& backend, const HostFacts& host) {
  const BackendFacts facts = backend.facts();
  const double gflops = std::max(rounded(measured_gflops(backend)), 1.0);
  const double gb_s = std::max(rounded(measured_gb_s(backend)), 1.0);
  const double lanes = lanes_for(gflops, facts.threads * host.simd_lanes * kAssumedFmaUnits);
  const auto fact = [](auto value, const char* source) { return Json{{"value", value}, {"source", source}}; };
  Json json{{"key", device_key(host.cpu, facts.threads)},
            {"display_name",
             host.cpu + ", " + std::to_string(facts.threads) + (facts.threads == 1 ? " thread" : " threads")},
            {"aliases", Json::array()},
            {"device_type", "cpu"},
            {"manufacturer", host.manufacturer},
            {"market", "server"},
            {"technology", fact("unknown", "assumed")},
            {"chip", fact(host.cpu, "system")},
            {"year", fact(2020, "assumed")},
            {"chips_on_board", fact(1, "assumed")},
            {"multiprocessors", fact(facts.threads, "system")},
            {"cores", fact(lanes, "computed")},
            {"flop_per_core_per_clock", fact(2, "computed")},
            {"clock_peak_mhz", fact(gflops * 1000 / (2 * lanes), "computed")},
            {"peak_fp32_gflops", fact(gflops, "measured")},
            {"memory_gib", fact(rounded(host.memory_gib), "system")},
            {"memory_type", fact("unknown", "assumed")},
            {"memory_bandwidth_gb_s", fact(gb_s, "measured")}};
  if (host.l2_cache_mib) json["l2_cache_mib"] = fact(*host.l2_cache_mib * facts.threads, "system");
  if (host.l3_cache_mib) json["l3_cache_mib"] = fact(*host.l3_cache_mib, "system");
  json["connectivity"] = fact("host", "assumed");
  json["pcie_generation"] = fact(0, "assumed");
  json["pcie_lanes"] = fact(0, "assumed");
  json["nvlink_gb_s"] = fact(0, "assumed");
  json["tdp_w"] = fact(10 * facts.threads, "assumed");
  json["sources"] = {
      {"system", "read from /proc and /sys of the machine, and the threads that were asked for"},
      {"measured", "measured with " + facts.library_version +
                       ": a product of 1024 x 1024 matrices, a sum of tensors of 128 MiB; fastest of 7"},
      {"computed",
       "computed: cores = threads x lanes of a register x 2 units; the clock is the one that gives the "
       "measured rate"},
      {"assumed", "assumed, since the system does not tell: put in what you know"}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace layersim
