#include "hwdb/price_list.h"

#include <catch2/catch.hpp>
#include <set>

#include "hwdb/device_db.h"
#include "sim/core/error.h"
#include "sim/core/json.h"
#include "tests/store/temporary_folder.h"

using namespace layersim;
using namespace layersim::tests;
using Catch::Matchers::Contains;

namespace {

Json sample_prices() {
  return {{"provider", "ours"},
          {"region", "cellar"},
          {"date", "2024-06"},
          {"source", "the lease"},
          {"instances",
           {{{"name", "box"}, {"gpu", "k80"}, {"gpu_count", 2}, {"memory_gib", 64}, {"usd_per_hour", 0.25}}}},
          {"cards", {{{"gpu", "rtx3090"}, {"usd", 800}, {"date", "2023-01"}, {"source", "a shop"}}}}};
}

PriceList read(const Json& json) {
  const TemporaryFolder folder;
  return read_price_file(folder.write("mine.json", json.dump()));
}

void check_refused(const Json& json, const std::string& part) {
  INFO(json.dump());
  CHECK_THROWS_WITH(read(json), Contains("mine.json") && Contains(part));
}

}  // namespace

TEST_CASE("a price file gives instances with what they have in common, and cards") {
  const PriceList prices = read(sample_prices());
  REQUIRE(prices.instances.size() == 1);
  const Instance& box = prices.instances.front();
  CHECK(box.provider == "ours");
  CHECK(box.region == "cellar");
  CHECK(box.date == "2024-06");
  CHECK(box.gpu == "k80");
  CHECK(box.gpu_count == 2);
  CHECK(box.memory_gib == 64);
  CHECK(box.usd_per_hour == 0.25);
  REQUIRE(prices.card("rtx3090") != nullptr);
  CHECK(prices.card("rtx3090")->usd == 800);
  CHECK(prices.card("k80") == nullptr);
}

TEST_CASE("a price file with mistakes is refused, and the key is named") {
  Json json = sample_prices();
  json["instances"][0]["gpu"] = "k8000";
  check_refused(json, "k8000");
  json = sample_prices();
  json["instances"][0]["usd_per_hour"] = -1;
  check_refused(json, "usd_per_hour");
  json = sample_prices();
  json["instances"][0]["usd"] = 1;
  check_refused(json, "usd");
  json = sample_prices();
  json["instances"][0]["gpu_count"] = 0;
  check_refused(json, "gpu_count");
  json = sample_prices();
  json["instances"].push_back(json["instances"][0]);
  check_refused(json, "twice");
  json = sample_prices();
  json["cards"].push_back(json["cards"][0]);
  check_refused(json, "twice");
  for (const char* date : {"2024", "2024-13", "06-2024", "2024-6", "20x4-06"}) {
    json = sample_prices();
    json["date"] = date;
    check_refused(json, "'date'");
  }
  for (const char* key : {"provider", "region", "date", "source"}) {
    json = sample_prices();
    json.erase(key);
    check_refused(json, key);
  }
  check_refused(Json::object(), "provider");
}

TEST_CASE("own prices go before those that come along") {
  PriceList shipped = read(sample_prices());
  shipped.instances.push_back(shipped.instances.front());
  shipped.instances.back().name = "other box";
  Json json = sample_prices();
  json["instances"][0]["usd_per_hour"] = 9;
  json["cards"][0]["usd"] = 1;
  const PriceList both = with_own_prices(read(json), shipped);
  REQUIRE(both.instances.size() == 2);
  CHECK(both.instances[0].usd_per_hour == 9);
  CHECK(both.instances[0].is_own);
  CHECK(both.instances[1].name == "other box");
  CHECK_FALSE(both.instances[1].is_own);
  REQUIRE(both.cards.size() == 1);
  CHECK(both.card("rtx3090")->usd == 1);
}

TEST_CASE("the prices that come along: four clouds and cards, for devices that there are") {
  const PriceList prices = shipped_prices();
  std::set<std::string> providers;
  std::set<std::string> names;
  const DeviceDb devices;
  for (const Instance& instance : prices.instances) {
    INFO(instance.name);
    providers.insert(instance.provider);
    CHECK(names.insert(instance.name).second);
    const double per_gpu = instance.usd_per_hour / instance.gpu_count;
    CHECK(per_gpu > 0.3);
    CHECK(per_gpu < 15);
    // An alias of a device that is an instance's name is the device of the instance.
    if (instance.gpu_count == 1 && instance.provider == "aws") {
      CHECK(devices.find(instance.gpu).key == instance.gpu);
    }
  }
  CHECK(providers == std::set<std::string>{"aws", "azure", "google", "lambda"});
  for (const char* name :
       {"p2.xlarge", "p2.8xlarge", "g3s.xlarge", "g3.4xlarge", "g4dn.xlarge", "p3.2xlarge", "p3dn.24xlarge",
        "p4d.24xlarge", "p4de.24xlarge", "p5.48xlarge", "g5.xlarge", "g6.xlarge"}) {
    CHECK(names.count(name) == 1);
  }
  CHECK(prices.cards.size() > 30);
  for (const CardPrice& card : prices.cards) CHECK(devices.find(card.gpu).market != "datacenter");
}

TEST_CASE("the age of a price") {
  CHECK(months_old("2020-01") - months_old("2021-03") == 14);
  CHECK(age_text("2015-01").find("years old") != std::string::npos);
  // The clock of this machine is later than this source.
  CHECK(months_old("2024-06") > 0);
  CHECK(age_text("9999-12").empty());
}
