#include "hwdb/interconnect.h"

#include <catch2/catch.hpp>
#include <set>

#include "hwdb/device_db.h"
#include "sim/core/error.h"

using namespace layersim;
using Catch::Matchers::Contains;

namespace {

constexpr const char* kText = R"({
  "key": "wire-1",
  "display_name": "A wire",
  "scope": "network",
  "technologies": [],
  "bandwidth_gb_s": {"value": 10, "source": "a"},
  "adapters_per_host": {"value": 2, "source": "a"},
  "efficiency": {"value": 0.5, "source": "b"},
  "start_latency_us": {"value": 8, "source": "b"},
  "step_latency_us": {"value": 3, "source": "b"},
  "sources": {"a": "sheet", "b": "measured"}
})";

std::string changed(const std::string& from, const std::string& to) {
  std::string text = kText;
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("an interconnect file is read with its sources") {
  const Interconnect link = read_interconnect_text("wire", kText);
  CHECK(link.key == "wire-1");
  CHECK(link.scope == InterconnectScope::network);
  CHECK(link.effective_gb_s() == Approx(10));
  REQUIRE(link.facts.size() == 5);
  CHECK(link.facts[2].source == "measured");
}

TEST_CASE("an interconnect file that is not right names file and key") {
  const auto fails = [](const std::string& text, const std::string& message) {
    INFO(text);
    CHECK_THROWS_WITH(read_interconnect_text("wire.json", text), Contains("wire.json") && Contains(message));
  };
  fails(changed("\"efficiency\": {\"value\": 0.5", "\"efficiency\": {\"value\": 1.5"), "efficiency.value");
  fails(changed("\"network\"", "\"sea\""), "'sea' is not one of host, network");
  fails(changed("\"value\": 3, \"source\": \"b\"", "\"value\": 3, \"source\": \"c\""), "'c' is not among");
  fails(changed("\"b\": \"measured\"", "\"b\": \"measured\", \"c\": \"\""), "no value cites");
  fails(changed("\"technologies\": [],", ""), "technologies");
  fails(changed("\"technologies\"", "\"tech\": 1, \"technologies\""), "tech");
}

TEST_CASE("the interconnects that come along: keys are file names, networks have slower steps") {
  const InterconnectDb links;
  std::set<std::string> keys;
  for (const Interconnect& link : links.all()) {
    INFO(link.key);
    keys.insert(link.key);
    CHECK(links.find(link.key).display_name == link.display_name);
    const double nvlink_step_us = links.find("nvlink4").step_latency_us;
    if (link.scope == InterconnectScope::network) CHECK(link.step_latency_us > nvlink_step_us);
  }
  for (const char* key : {"pcie3-x16", "pcie4-x16", "pcie5-x16", "nvlink1", "nvlink2", "nvlink3", "nvlink4",
                          "infiniband-edr", "infiniband-hdr", "ethernet-10", "ethernet-100"}) {
    INFO(key);
    CHECK(keys.count(key) == 1);
  }
  CHECK_THROWS_WITH(links.find("string"), Contains("no interconnect 'string'") && Contains("pcie3-x16"));
  CHECK_THROWS_AS(links.find("../gpus/k80"), Error);
}

TEST_CASE("a device's interconnect follows from its connectivity, never faster than its sheet") {
  const InterconnectDb links;
  const DeviceDb devices;
  CHECK(links.of_device(devices.find("k80")).key == "pcie3-x16");
  CHECK(links.of_device(devices.find("v100-sxm2")).key == "nvlink2");
  CHECK(links.of_device(devices.find("a100-sxm4-80gb")).key == "nvlink3");
  CHECK(links.of_device(devices.find("h100-sxm")).bandwidth_gb_s == Approx(450));
  CHECK(links.of_device(devices.find("mi250")).key == "infinity-fabric");
  CHECK(links.of_device(devices.find("mi250")).bandwidth_gb_s == Approx(150));
  CHECK_THROWS_WITH(links.of_device(devices.find("cpu-epyc-7742")), Contains("--interconnect"));
  for (const Device& device : devices.all()) {
    if (device.device_type == "cpu") continue;
    INFO(device.key);
    CHECK(links.of_device(device).effective_gb_s() > 0);
  }
}
