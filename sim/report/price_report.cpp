#include "sim/report/price_report.h"

#include "sim/report/readable_text.h"

namespace layersim {

Json price_json(const std::optional<HourlyPrice>& price) {
  if (!price) return nullptr;
  return {{"usd_per_hour", price->usd},
          {"what", price->what},
          {"age", price->age.empty() ? Json(nullptr) : Json(price->age)}};
}

std::string hourly_price_text(const HourlyPrice& price) {
  std::string text = short_number(price.usd) + " USD/h: " + price.what;
  if (!price.age.empty()) text += " (" + price.age + ')';
  return text;
}

}  // namespace layersim
