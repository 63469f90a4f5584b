#pragma once
// The options of a what-if study.

#include "sim/cli/command_line.h"
#include "sim/study/study.h"

namespace layersim {

[[nodiscard]] options::options_description hardware_option_group();
[[nodiscard]] options::options_description money_option_group();
[[nodiscard]] options::options_description price_option_group();
// Those that come along, with those of --prices.
[[nodiscard]] PriceList read_prices(const Arguments& arguments);
// Fills the choices from --gpus, --instances, --prices and the terms of purchase, and the limits.
void read_hardware(const Arguments& arguments, StudyRequest& request);

}  // namespace layersim
