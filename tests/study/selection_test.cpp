#include "sim/study/study_selection.h"

#include <catch2/catch.hpp>

#include "sim/core/error.h"
#include "sim/study/study_choices.h"

using namespace layersim;
using Catch::Matchers::Contains;

namespace {

using Batches = std::vector<std::int64_t>;

std::vector<std::string> keys(const std::string& text) {
  std::vector<std::string> result;
  for (const Device& device : select_gpus("--gpus", text)) result.push_back(device.key);
  return result;
}

PriceList sample_prices() {
  const auto instance = [](const char* name, const char* gpu, int count, double usd) {
    return Instance{.provider = "cloud",
                    .name = name,
                    .gpu = gpu,
                    .gpu_count = count,
                    .memory_gib = 60,
                    .usd_per_hour = usd,
                    .region = "east",
                    .date = "2020-01",
                    .source = "page"};
  };
  PriceList prices;
  prices.instances = {instance("small", "k80", 1, 1.0), instance("big", "k80", 8, 6.4),
                      instance("t", "t4", 1, 0.5)};
  prices.cards = {{"rtx3090", 1314.9, "2020-09", "announcement"}, {"t4", 2000, "2019-01", "a shop"}};
  return prices;
}

}  // namespace

TEST_CASE("batches: doubled, in steps, listed") {
  CHECK(parse_batches("--batches", "16:256") == Batches{16, 32, 64, 128, 256});
  CHECK(parse_batches("--batches", "12:100") == Batches{12, 24, 48, 96, 100});
  CHECK(parse_batches("--batches", "16:64:16") == Batches{16, 32, 48, 64});
  CHECK(parse_batches("--batches", "5:20:6") == Batches{5, 11, 17});
  CHECK(parse_batches("--batches", "40,24, 24,1:2") == Batches{1, 2, 24, 40});
  CHECK(parse_batches("--batches", "7") == Batches{7});
  for (const char* text :
       {"0:4", "4:2", "", "16:", ":16", "1,,2", "a", "1:2:0", "1:2:3:4", "-1", "1:100000", "1.5"}) {
    INFO(text);
    if (std::string(text) == "1:100000") {
      CHECK(parse_batches("--batches", text).back() == 100000);
    } else {
      CHECK_THROWS_WITH(parse_batches("--batches", text), Contains("--batches"));
    }
  }
  CHECK_THROWS_WITH(parse_batches("--batches", "1:100000:1"), Contains("4096"));
}

TEST_CASE("GPUs by name and by what they have") {
  CHECK(keys("k80,V100,k80") == std::vector<std::string>{"k80", "v100-sxm2"});
  CHECK(keys("t4,k80,memory>=14") == std::vector<std::string>{"t4"});
  CHECK(keys("all").size() > 60);
  for (const Device& device : select_gpus("--gpus", "memory>=24,year>2019,watts<=300")) {
    CHECK(device.memory_gib >= 24);
    CHECK(device.year > 2019);
    CHECK(device.tdp_w <= 300);
    CHECK(device.device_type == "gpu");
  }
  for (const Device& device : select_gpus("--gpus", "technology=volta,bandwidth>800")) {
    CHECK(device.technology == "volta");
  }
  CHECK(select_gpus("--gpus", "manufacturer=amd,market=gaming").size() > 2);
}

TEST_CASE("what is no selection of GPUs is refused") {
  for (const auto& [text, part] :
       std::vector<std::pair<std::string, std::string>>{{"k81", "k80"},
                                                        {"memory>=foo", "foo"},
                                                        {"memory=>24", "compares"},
                                                        {"speed>1", "bandwidth"},
                                                        {"technology>volta", "word"},
                                                        {"memory>=9999", "no device fits"},
                                                        {"k80,memory>=24", "no device fits"},
                                                        {"", "empty"},
                                                        {"k80,", "empty"}}) {
    INFO(text);
    CHECK_THROWS_WITH(select_gpus("--gpus", text), Contains("--gpus") && Contains(part));
  }
}

TEST_CASE("instance types by name, by provider, all") {
  const PriceList prices = sample_prices();
  CHECK(select_instances("--instances", "all", prices).size() == 3);
  CHECK(select_instances("--instances", "cloud", prices).size() == 3);
  CHECK(select_instances("--instances", "t,small,t", prices).size() == 2);
  CHECK_THROWS_WITH(select_instances("--instances", "smal", prices), Contains("small"));
}

TEST_CASE("a GPU pays its share of the cheapest instance, or of the user's own") {
  PriceList prices = sample_prices();
  const Device k80 = select_gpus("--gpus", "k80").front();
  const StudyChoice cheapest = gpu_choice(k80, prices, {});
  REQUIRE(cheapest.price.has_value());
  CHECK(cheapest.price->usd == Approx(0.8));
  CHECK_THAT(cheapest.price->what, Contains("1/8 of cloud big, east, 2020-01"));
  CHECK_THAT(cheapest.price->age, Contains("years old"));
  prices.instances[0].is_own = true;
  CHECK(gpu_choice(k80, prices, {}).price->usd == Approx(1.0));
  const StudyChoice whole = instance_choice(prices.instances[1], prices, {});
  CHECK(whole.name == "big");
  CHECK(whole.device.key == "k80");
  CHECK(whole.n_gpus == 8);
  CHECK(whole.price->usd == Approx(6.4));
}

TEST_CASE("buying against renting") {
  const PriceList prices = sample_prices();
  const PurchaseTerms terms{.electricity_usd_per_kwh = 0.2, .years = 3};
  const Device rtx3090 = select_gpus("--gpus", "rtx3090").front();
  CHECK_FALSE(gpu_choice(rtx3090, prices, {}).price.has_value());
  const StudyChoice bought = gpu_choice(rtx3090, prices, terms);
  REQUIRE(bought.purchase.has_value());
  CHECK(bought.purchase->power_usd_per_hour == Approx(0.07));  // 350 W
  CHECK(bought.purchase->usd_per_hour == Approx(0.07 + 1314.9 / (3 * 8766)));
  CHECK(bought.price->usd == Approx(bought.purchase->usd_per_hour));
  CHECK_FALSE(bought.purchase->break_even_h.has_value());
  const Device t4 = select_gpus("--gpus", "t4").front();
  const StudyChoice rented = gpu_choice(t4, prices, terms);
  CHECK(rented.price->usd == Approx(0.5));
  CHECK(rented.purchase->break_even_h.value() == Approx(2000 / (0.5 - 0.014)));  // 70 W
  const PurchaseTerms dear{.electricity_usd_per_kwh = 10, .years = 3};
  CHECK_FALSE(gpu_choice(t4, prices, dear).purchase->break_even_h.has_value());
}
