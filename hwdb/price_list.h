#pragma once
// What hardware costs: cloud instance types by the hour and cards to buy, from dated data files. A file is
// one JSON object (configs/instances holds those that come along):
//
//   provider, region, date, source    of its instances; only there with them
//   instances   [{name, gpu, gpu_count, memory_gib, usd_per_hour}]   memory of the host
//   cards       [{gpu, usd, date, source}]
//
// Dates are "2024-06", a year and a month; `gpu` is the key of a file in configs/gpus.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace layersim {

struct Instance {
  std::string provider;  // "aws"
  std::string name;      // "p2.xlarge"
  std::string gpu;       // key of the device
  int gpu_count = 1;     // a board with two chips counts as two
  double memory_gib = 0;
  double usd_per_hour = 0;  // on demand, of the whole instance
  std::string region;
  std::string date;
  std::string source;
  bool is_own = false;  // from the user's file, not from one that came along
};

struct CardPrice {
  std::string gpu;
  double usd = 0;
  std::string date;
  std::string source;
};

struct PriceList {
  std::vector<Instance> instances;
  std::vector<CardPrice> cards;

  // nullptr when there is none.
  [[nodiscard]] const CardPrice* card(std::string_view gpu) const;
};

// What an hour costs, and why.
struct HourlyPrice {
  double usd = 0;
  std::string what;  // "aws p2.xlarge, us-east-1, 2024-06"; "bought, 3 years"
  std::string age;   // "2 years old"; empty: recent
};
// So many of the GPUs of an instance, which pay their share.
[[nodiscard]] HourlyPrice rent_of(const Instance& instance, int gpus);
// One GPU of the user's own instance type with it, else of the cheapest there is; nothing where it is not to
// rent.
[[nodiscard]] std::optional<HourlyPrice> rent_of_gpu(std::string_view gpu, const PriceList& prices);

// Throws bad_input for anything that is missing, unknown or out of range.
[[nodiscard]] PriceList read_price_file(const std::filesystem::path& path);
// The files of configs/instances, together.
[[nodiscard]] PriceList shipped_prices();
// Both together. What `own` has, instance types and cards, replaces its like in `others`.
[[nodiscard]] PriceList with_own_prices(PriceList own, const PriceList& others);

// Whole months from a date of the lists to today (UTC).
[[nodiscard]] int months_old(std::string_view date);
// "2 years old", "14 months old"; empty for a price of the last 12 months.
[[nodiscard]] std::string age_text(std::string_view date);

}  // namespace layersim
