#pragma once
// Numbers in the cells of a log. What is neither a number that the metric can have nor a word for "not told"
// is left out, and told once for each metric.

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sim/methods/telemetry/log_lines.h"

namespace layersim {

class LogCells {
 public:
  // `cell` may have a unit behind its number; NaN where it has none. `metric`: index into kMetrics. `line`:
  // from 1.
  [[nodiscard]] double read(std::size_t metric, std::string_view cell, std::size_t line);
  void add_warnings(std::vector<std::string>& warnings) const;

 private:
  struct Refused {
    std::size_t count = 0;
    std::string first;  // "line 3: '-5 MHz'"
  };
  std::array<Refused, kMetrics.size()> refused_{};
};

}  // namespace layersim
