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

// The facts behind three of the labels, each one sentence without its full stop.
[[nodiscard]] std::string network_text(const Report& report);
[[nodiscard]] std::string run_text(const RunReport& run, std::int64_t batch);
[[nodiscard]] std::string coverage_text(const Report& report);

}  // namespace layersim
