#include "sim/study/study_choices.h"

#include "hwdb/device_db.h"
#include "sim/core/strict_json.h"

namespace layersim {
namespace {

constexpr double kHoursOfAYear = 365.25 * 24;

void add_purchase(StudyChoice& choice, const PriceList& prices, const std::optional<PurchaseTerms>& terms) {
  const CardPrice* card = prices.card(choice.device.key);
  if (!terms || card == nullptr) return;
  const double cards_usd = card->usd * choice.n_gpus;
  Purchase purchase{.card_usd = cards_usd, .date = card->date, .watts = choice.device.tdp_w * choice.n_gpus};
  purchase.power_usd_per_hour = purchase.watts / 1000 * terms->electricity_usd_per_kwh;
  purchase.usd_per_hour = purchase.power_usd_per_hour + cards_usd / (terms->years * kHoursOfAYear);
  if (!choice.price) {
    choice.price = HourlyPrice{.usd = purchase.usd_per_hour,
                               .what = "bought for " + number_text(cards_usd) + " USD, " + card->date +
                                       ", written off over " + number_text(terms->years) + " years",
                               .age = age_text(card->date)};
  } else if (choice.price->usd > purchase.power_usd_per_hour) {
    purchase.break_even_h = cards_usd / (choice.price->usd - purchase.power_usd_per_hour);
  }
  choice.purchase = purchase;
}

}  // namespace

StudyChoice gpu_choice(const Device& device, const PriceList& prices,
                       const std::optional<PurchaseTerms>& terms) {
  StudyChoice choice{.name = device.key, .device = device};
  choice.price = rent_of_gpu(device.key, prices);
  add_purchase(choice, prices, terms);
  return choice;
}

StudyChoice instance_choice(const Instance& instance, const PriceList& prices,
                            const std::optional<PurchaseTerms>& terms) {
  StudyChoice choice{.name = instance.name, .device = DeviceDb().find(instance.gpu)};
  choice.n_gpus = instance.gpu_count;
  choice.price = rent_of(instance, instance.gpu_count);
  add_purchase(choice, prices, terms);
  return choice;
}

}  // namespace layersim
