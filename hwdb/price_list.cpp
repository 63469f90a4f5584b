#include "hwdb/price_list.h"

#include <algorithm>
#include <chrono>
#include <set>

#include "hwdb/device_file.h"
#include "sim/core/config_dir.h"
#include "sim/core/strict_json.h"

namespace layersim {
namespace {

constexpr int kMonthsOfAYear = 12;
constexpr int kFreshMonths = 12;

// Of a checked date.
int months_since_year_0(std::string_view date) {
  const auto digits = [&](std::size_t from, std::size_t count) {
    int number = 0;
    for (const char c : date.substr(from, count)) number = 10 * number + (c - '0');
    return number;
  };
  return digits(0, 4) * kMonthsOfAYear + digits(5, 2) - 1;
}

bool is_date(std::string_view text) {
  if (text.size() != 7 || text[4] != '-') return false;
  for (const std::size_t i : {0, 1, 2, 3, 5, 6}) {
    if (text[i] < '0' || text[i] > '9') return false;
  }
  const std::string_view month = text.substr(5);
  return month >= "01" && month <= "12";
}

std::string date_of(const JsonObject& object) {
  auto date = object.get<std::string>("date");
  if (!is_date(date)) throw object.error("date", "must be a year and a month as \"2024-06\"");
  return date;
}

std::string words_of(const JsonObject& object, std::string_view key) {
  auto text = object.get<std::string>(key);
  if (text.empty()) throw object.error(key, "must not be empty");
  return text;
}

std::string gpu_of(const JsonObject& object) {
  auto gpu = object.get<std::string>("gpu");
  const auto file = config_dir() / "gpus" / (gpu + ".json");
  if (!is_device_key(gpu) || !std::filesystem::exists(file)) {
    throw object.error("gpu", "no device has the key '" + gpu + "' (layersim gpus)");
  }
  return gpu;
}

void read_instances(const JsonObject& root, PriceList& list) {
  const Instance common{.provider = words_of(root, "provider"),
                        .name = {},
                        .gpu = {},
                        .region = words_of(root, "region"),
                        .date = date_of(root),
                        .source = words_of(root, "source")};
  std::set<std::string> names;
  for (const JsonObject& entry : root.get<std::vector<JsonObject>>("instances")) {
    Instance instance = common;
    instance.name = words_of(entry, "name");
    if (!names.insert(instance.name).second) throw entry.error("name", "stands here twice");
    instance.gpu = gpu_of(entry);
    const auto count = entry.get<std::int64_t>("gpu_count");
    if (count < 1 || count > 1024) throw entry.error("gpu_count", "must be from 1 to 1024");
    instance.gpu_count = static_cast<int>(count);
    instance.memory_gib = entry.number("memory_gib", 0.25, 1e6);
    instance.usd_per_hour = entry.number("usd_per_hour", 1e-4, 1e5);
    list.instances.push_back(std::move(instance));
  }
}

void read_cards(const JsonObject& root, PriceList& list) {
  for (const JsonObject& entry : root.get<std::vector<JsonObject>>("cards")) {
    const std::string gpu = gpu_of(entry);
    if (list.card(gpu) != nullptr) throw entry.error("gpu", "'" + gpu + "' stands here twice");
    list.cards.push_back({gpu, entry.number("usd", 1, 1e7), date_of(entry), words_of(entry, "source")});
  }
}

PriceList read_prices(const JsonObject& root) {
  PriceList list;
  if (!root.has("cards") || root.has("instances")) read_instances(root, list);
  if (root.has("cards")) read_cards(root, list);
  return list;
}

}  // namespace

const CardPrice* PriceList::card(std::string_view gpu) const {
  const auto found =
      std::find_if(cards.begin(), cards.end(), [&](const CardPrice& card) { return card.gpu == gpu; });
  return found == cards.end() ? nullptr : &*found;
}

PriceList read_price_file(const std::filesystem::path& path) { return read_json_file(path, read_prices); }

PriceList shipped_prices() {
  const auto folder = config_dir() / "instances";
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  if (error) throw bad_use("the folder of prices " + folder.string() + " cannot be read");
  std::sort(files.begin(), files.end());
  PriceList all;
  for (const auto& file : files) {
    PriceList list = read_price_file(file);
    std::move(list.instances.begin(), list.instances.end(), std::back_inserter(all.instances));
    std::move(list.cards.begin(), list.cards.end(), std::back_inserter(all.cards));
  }
  return all;
}

PriceList with_own_prices(PriceList own, const PriceList& others) {
  for (Instance& instance : own.instances) instance.is_own = true;
  for (const Instance& instance : others.instances) {
    const bool is_own = std::any_of(own.instances.begin(), own.instances.end(),
                                    [&](const Instance& other) { return other.name == instance.name; });
    if (!is_own) own.instances.push_back(instance);
  }
  for (const CardPrice& card : others.cards) {
    if (own.card(card.gpu) == nullptr) own.cards.push_back(card);
  }
  return own;
}

HourlyPrice rent_of(const Instance& instance, int gpus) {
  const std::string share = gpus == instance.gpu_count
                                ? ""
                                : std::to_string(gpus) + '/' + std::to_string(instance.gpu_count) + " of ";
  return {
      .usd = instance.usd_per_hour * gpus / instance.gpu_count,
      .what = share + instance.provider + ' ' + instance.name + ", " + instance.region + ", " + instance.date,
      .age = age_text(instance.date)};
}

std::optional<HourlyPrice> rent_of_gpu(std::string_view gpu, const PriceList& prices) {
  const Instance* best = nullptr;
  const auto per_gpu = [](const Instance& instance) { return instance.usd_per_hour / instance.gpu_count; };
  for (const Instance& instance : prices.instances) {
    if (instance.gpu != gpu) continue;
    const bool better =
        best == nullptr ||
        (instance.is_own != best->is_own ? instance.is_own : per_gpu(instance) < per_gpu(*best));
    if (better) best = &instance;
  }
  return best == nullptr ? std::nullopt : std::optional(rent_of(*best, 1));
}

int months_old(std::string_view date) {
  const std::chrono::year_month_day today(
      std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()));
  const int now = static_cast<int>(today.year()) * kMonthsOfAYear +
                  static_cast<int>(static_cast<unsigned>(today.month())) - 1;
  return now - months_since_year_0(date);
}

std::string age_text(std::string_view date) {
  const int months = months_old(date);
  if (months <= kFreshMonths) return "";
  if (months < 2 * kMonthsOfAYear) return std::to_string(months) + " months old";
  return std::to_string(months / kMonthsOfAYear) + " years old";
}

}  // namespace layersim
