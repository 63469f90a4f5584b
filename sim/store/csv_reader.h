#pragma once
// Records of a CSV file as RFC 4180 has it, plain or gzip: fields in quotes may hold commas, line breaks and
// doubled quotes; lines end in LF or CRLF; a UTF-8 byte-order mark is skipped. The first record is the
// header. Memory does not grow with the file.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sim/store/byte_stream.h"

namespace layersim {

class CsvReader {
 public:
  static constexpr std::size_t kMaxRecordBytes = std::size_t{1} << 20;
  static constexpr std::size_t kMaxColumns = 4096;

  // Reads the header. Throws bad_input when the file cannot be read or has no header, or when a column's name
  // is missing, twice there, or not made of letters, digits and '_'.
  explicit CsvReader(const std::string& path);

  [[nodiscard]] const std::vector<std::string>& header() const { return header_; }

  // Goes to the next record; false at the end. Throws bad_input, naming the line, when quotes are wrong or
  // the record has not as many fields as the header.
  bool next();

  // Of the present record; valid until the next call of next().
  [[nodiscard]] const std::vector<std::string_view>& fields() const { return fields_; }
  // Line on which the present record begins, from 1.
  [[nodiscard]] std::size_t line() const { return record_line_; }

  // SHA-256 of the file; at the end of the records.
  [[nodiscard]] const std::string& sha256() const { return stream_.sha256(); }

 private:
  bool read_record();
  // Splits the record that begins at begin_; false when the buffer ends first.
  bool split_record(bool at_end);
  bool quoted_field(std::size_t& at, bool at_end);
  void unescape(std::string_view& field);
  bool fill();
  [[nodiscard]] std::string place() const { return "line " + std::to_string(record_line_); }

  ByteStream stream_;
  std::string buffer_;
  std::size_t begin_ = 0;  // of the next record in buffer_
  bool stream_ended_ = false;
  std::size_t line_ = 1;  // of begin_
  std::size_t record_line_ = 1;
  std::vector<std::string> header_;
  std::vector<std::string_view> fields_;
  std::vector<std::size_t>
      escaped_;  // fields with doubled quotes, to be shortened once the record is complete
};

}  // namespace layersim
