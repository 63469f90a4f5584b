#pragma once
// What the parts of a predictor file have in common: rows of a few names beside rows of numbers.

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/error.h"
#include "sim/store/array_file.h"

namespace layersim {

// Fields of a line, which names do not contain the separator of.
inline std::string join(std::initializer_list<std::string_view> fields) {
  std::string line;
  for (const std::string_view field : fields) line.append(line.empty() ? "" : "\t").append(field);
  return line;
}

// Throws bad_input unless there are so many.
inline std::vector<std::string> split(const std::string& line, std::size_t fields) {
  std::vector<std::string> result;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find('\t', begin), line.size());
    result.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  if (result.size() != fields)
    throw bad_input("'" + line + "' does not have " + std::to_string(fields) + " fields");
  return result;
}

inline void append(StoredArray& array, std::initializer_list<double> values) {
  for (const double value : values) array.values.push_back(static_cast<float>(value));
}

inline double value_at(const StoredArray& array, std::size_t row, std::size_t column) {
  return static_cast<double>(array.values[row * array.columns + column]);
}

// Throws bad_input when the array has other sizes.
inline void expect_size(const StoredArray& array, const std::string& name, std::size_t rows,
                        std::size_t columns) {
  if (array.values.size() != rows * columns || (rows > 0 && array.columns != columns)) {
    throw bad_input("array '" + name + "' does not have " + std::to_string(rows) + " x " +
                    std::to_string(columns) + " numbers");
  }
}

}  // namespace layersim
