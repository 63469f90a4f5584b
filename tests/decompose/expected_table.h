#pragma once
// The expected.csv of the shared folders: rows by column name.

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace layersim::tests {

using ExpectedRow = std::map<std::string, std::string>;

// Fields may stand in double quotes; nothing else is special.
inline std::vector<std::string> split_fields(const std::string& line) {
  std::vector<std::string> fields{""};
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  return fields;
}

inline std::vector<ExpectedRow> read_expected(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> header = split_fields(line);
  std::vector<ExpectedRow> rows;
  while (std::getline(file, line)) {
    const std::vector<std::string> fields = split_fields(line);
    ExpectedRow row;
    for (std::size_t i = 0; i < header.size(); ++i) row[header[i]] = i < fields.size() ? fields[i] : "";
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace layersim::tests
