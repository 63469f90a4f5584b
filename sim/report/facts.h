#pragma once
// The lines of text around the table of layers.

#include <cstddef>
#include <string>

#include "sim/report/report.h"

namespace layersim {

// What was asked: network, device, conditions.
[[nodiscard]] std::string facts_before(const Report& report, std::size_t width);
// What came out: batch, epoch, memory, coverage, method, warnings.
[[nodiscard]] std::string facts_after(const Report& report, std::size_t width);

}  // namespace layersim
