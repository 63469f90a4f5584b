#include "sim/cli/study_options.h"

#include <cstdio>

#include "sim/cli/option_groups.h"
#include "sim/core/error.h"
#include "sim/features/device_precisions.h"
#include "sim/study/study_choices.h"
#include "sim/study/study_selection.h"

namespace layersim {
namespace {

std::optional<double> positive(const Arguments& arguments, const char* option) {
  const auto text = arguments.text(option);
  if (!text) return std::nullopt;
  return parse_positive("--" + std::string(option), *text);
}

bool gains_precision(const Device& device, const Device& changed, std::optional<Precision> precision) {
  return precision && !has_precision(device, *precision) && has_precision(changed, *precision);
}

std::optional<PurchaseTerms> purchase_terms(const Arguments& arguments) {
  const auto electricity = positive(arguments, "electricity-usd-per-kwh");
  const auto years = positive(arguments, "years");
  if (!electricity) {
    if (years) throw bad_use("--years is for buying: it goes with --electricity-usd-per-kwh");
    return std::nullopt;
  }
  PurchaseTerms terms{.electricity_usd_per_kwh = *electricity};
  if (years) terms.years = *years;
  return terms;
}

}  // namespace

options::options_description hardware_option_group() {
  options::options_description group("hardware");
  group.add_options()  //
      ("gpus", text_value("LIST"),
       "devices: names, \"all\", and conditions that must hold, as 'all,memory>=24,year>=2018'")  //
      ("instances", text_value("LIST"),
       "cloud instance types: names, providers (aws, google, ...) or \"all\"");
  return group;
}

options::options_description price_option_group() {
  options::options_description group("money");
  group.add_options()("prices", input_file(), "your own prices, as the files in configs/instances");
  return group;
}

PriceList read_prices(const Arguments& arguments) {
  const auto file = arguments.text("prices");
  return file ? with_own_prices(read_price_file(*file), shipped_prices()) : shipped_prices();
}

options::options_description money_option_group() {
  options::options_description group = price_option_group();
  group.add_options()                                                                            //
      ("budget-usd", text_value("USD"), "choose only what costs no more for the whole run")      //
      ("deadline-h", text_value("HOURS"), "choose only what takes no longer for the whole run")  //
      ("electricity-usd-per-kwh", text_value("USD"), "also tell what bought cards cost")         //
      ("years", text_value("N"), "over which a bought card is written off (default: 3)");
  return group;
}

void read_hardware(const Arguments& arguments, StudyRequest& request) {
  request.budget_usd = positive(arguments, "budget-usd");
  request.deadline_h = positive(arguments, "deadline-h");
  const auto terms = purchase_terms(arguments);
  const PriceList prices = read_prices(arguments);
  const std::vector<DeviceChange> changes = read_device_changes(arguments);
  const auto gpus = arguments.text("gpus");
  const auto instances = arguments.text("instances");
  if (!gpus && !instances) throw bad_use("no hardware: --gpus LIST or --instances LIST");
  if (gpus) {
    for (const Device& device : select_gpus("--gpus", *gpus)) {
      StudyChoice changed = gpu_choice(device, prices, terms);
      changed.device = hypothetical_device(device, changes);
      if (gains_precision(device, changed.device, request.precision)) {
        std::fprintf(stderr, "warning: %s has no %s: only what --set makes of it is compared\n",
                     device.key.c_str(), std::string(name(*request.precision)).c_str());
      } else {
        request.choices.push_back(gpu_choice(device, prices, terms));
      }
      if (changes.empty()) continue;
      for (const std::string& text : arguments.texts("set")) changed.name += ' ' + text;
      request.choices.push_back(std::move(changed));
    }
  } else if (!changes.empty()) {
    throw bad_use("--set changes devices of --gpus, not instances");
  }
  if (instances) {
    for (const Instance& instance : select_instances("--instances", *instances, prices)) {
      request.choices.push_back(instance_choice(instance, prices, terms));
    }
  }
}

}  // namespace layersim
