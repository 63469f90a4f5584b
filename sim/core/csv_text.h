#pragma once
// Writing CSV: fields quoted where they must be, numbers as the shortest text that reads back to the same.

#include <string>
#include <string_view>

namespace layersim {

// One line, ended when the object goes.
class CsvLine {
 public:
  explicit CsvLine(std::string& text) : text_(text) {}
  ~CsvLine() { text_ += '\n'; }
  CsvLine(const CsvLine&) = delete;
  CsvLine& operator=(const CsvLine&) = delete;

  void add(std::string_view field);
  void add(double number);

 private:
  void separate();

  std::string& text_;
  bool is_first_ = true;
};

}  // namespace layersim
