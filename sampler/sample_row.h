#pragma once
// A result as a row of the store. Convolutions and dense layers have the columns of data/README.md, as the
// published measurements have; other kinds are rows of the table `problems`, with the parameters of their
// kind as columns; what could not be measured is a row of the table `skipped` with its reason.

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sampler/measurement.h"
#include "sim/store/table.h"

namespace layersim {

struct SampleRow {
  std::uint64_t index = 0;  // of the problem in its campaign
  std::string table{};
  std::vector<std::pair<std::string, std::variant<double, std::string>>> fields{};
};

// `gpu`: key of the device.
[[nodiscard]] SampleRow make_row(const SampleResult& result, const std::string& gpu,
                                 const std::string& stack);

// Rows of one table.
void append_row(Table& table, const SampleRow& row);

// One line of JSON without a line end, and back. Throws bad_input for a line that is not of that form.
[[nodiscard]] std::string to_line(const SampleRow& row);
[[nodiscard]] SampleRow row_of_line(std::string_view line);

}  // namespace layersim
