#pragma once
// Columns of text that fit a given width.

#include <string>
#include <vector>

namespace layersim {

struct TextColumn {
  std::string header;
  bool right = false;    // alignment
  bool shrinks = false;  // cells may lose their beginning where the table is too wide
  int importance = 0;    // of the columns above 0, the lowest is left out first
};

class TextTable {
 public:
  explicit TextTable(std::vector<TextColumn> columns) : columns_(std::move(columns)) {}

  void add_row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  void add_rule() { rows_.emplace_back(); }
  // Lines of at most `width` columns where shrinking and leaving out reach that.
  [[nodiscard]] std::string to_text(std::size_t width) const;

 private:
  std::vector<TextColumn> columns_;
  std::vector<std::vector<std::string>> rows_;  // an empty row is a rule
};

}  // namespace layersim
