#pragma once
// Devices and instance types with their prices, as the choices of a study.

#include <optional>

#include "hwdb/price_list.h"
#include "sim/study/study.h"

namespace layersim {

// Of a card that is bought and not rented.
struct PurchaseTerms {
  double electricity_usd_per_kwh = 0;
  double years = 3;  // over which it is written off, in use all the time
};

// A GPU by the hour: the user's own instance type with it, else the cheapest there is, of which it pays its
// share. Where it is not to rent: what a bought card costs by the hour, given `terms`.
[[nodiscard]] StudyChoice gpu_choice(const Device& device, const PriceList& prices,
                                     const std::optional<PurchaseTerms>& terms);
// All GPUs of an instance, which share the batch (data parallel training within one host).
[[nodiscard]] StudyChoice instance_choice(const Instance& instance, const PriceList& prices,
                                          const std::optional<PurchaseTerms>& terms);

}  // namespace layersim
