#pragma once
// Named texts and arrays of numbers in groups, for what is not rows: trained predictors. An HDF5 file with
// the header of store_header.h: a group is a dataset of float32, whose attribute `contents` tells which of
// them are which array and holds the texts. Read whole.

#include <map>
#include <string>
#include <vector>

#include "sim/store/store_header.h"

namespace layersim {

struct StoredArray {
  std::vector<float> values;  // row-major
  std::size_t columns = 1;

  [[nodiscard]] std::size_t rows() const { return columns == 0 ? 0 : values.size() / columns; }
};

struct ArrayGroup {
  std::map<std::string, std::string> texts;
  std::map<std::string, StoredArray> arrays;

  // Throw bad_input, naming what is missing.
  [[nodiscard]] const std::string& text(const std::string& name) const;
  [[nodiscard]] const StoredArray& array(const std::string& name) const;
  // A text of several lines; none for the empty text.
  [[nodiscard]] std::vector<std::string> lines(const std::string& name) const;
  void set_lines(const std::string& name, const std::vector<std::string>& lines);
};

using ArrayGroups = std::map<std::string, ArrayGroup>;

// Errors do not name the file: callers put it before them. Throws bad_input when it is damaged, of another
// format or of a newer schema.
[[nodiscard]] ArrayGroups read_array_file(const std::string& path, FileFormat format);
// A file that is there is replaced when all is written.
void write_array_file(const std::string& path, FileFormat format, const ArrayGroups& groups);

}  // namespace layersim
