#pragma once
// Text files that other tools wrote: gzip undone, UTF-16 with a byte order mark turned into UTF-8, and
// records of comma separated fields as these tools write them.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace layersim {

// The whole file; a byte order mark is taken off. Errors do not name the file. Throws bad_input when it
// cannot be read, is empty, or is larger than 4 GiB unpacked.
[[nodiscard]] std::string read_text_input(const std::string& path);

// Reads records of a CSV text one after another. Fields in quotes may hold commas, line ends and doubled
// quotes; lines end in LF or CRLF; blanks around a field are taken off; empty lines are skipped.
class CsvRecords {
 public:
  explicit CsvRecords(std::string_view text) : text_(text) {}

  // False at the end. A quote that is never closed ends with the text.
  bool next();
  [[nodiscard]] const std::vector<std::string>& fields() const { return fields_; }
  // Line on which the record begins, from 1.
  [[nodiscard]] std::size_t line() const { return record_line_; }

 private:
  void read_field();

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::size_t record_line_ = 1;
  std::vector<std::string> fields_;
};

[[nodiscard]] std::string_view trimmed(std::string_view text);
[[nodiscard]] std::string lower_case(std::string_view text);

}  // namespace layersim
