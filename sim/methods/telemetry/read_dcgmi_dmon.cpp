// dcgmi dmon -e 150,155,203,...: a header line "#Entity  GPUTL  POWER" that is repeated, perhaps a line of
// units below it, then a line "GPU 0  97  250.1" for each GPU and sample. It tells no times: samples follow
// each other after the delay -d.

#include <limits>
#include <map>
#include <optional>
#include <sstream>

#include "sim/core/error.h"
#include "sim/methods/common/text_input.h"
#include "sim/methods/telemetry/log_cells.h"

namespace layersim {
namespace {

constexpr double kDelay = 1;  // s, the default of dcgmi

// Short names of the fields, as dcgmi prints them.
std::optional<std::size_t> metric_of(std::string_view name) {
  static const std::map<std::string_view, std::size_t> kNames{
      {"POWER", 0}, {"GPUTL", 1}, {"GRACT", 1}, {"MCUTL", 2}, {"DRAMA", 2}, {"FBUSD", 3}, {"SMCLK", 4}};
  const auto found = kNames.find(name);
  if (found == kNames.end()) return std::nullopt;
  return found->second;
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

}  // namespace

std::vector<LogLine> read_dcgmi_dmon(std::string_view text, std::vector<std::string>& warnings) {
  std::istringstream stream{std::string(text)};
  std::vector<std::optional<std::size_t>> columns;
  std::map<std::string, int> samples;  // so far, by GPU
  std::vector<LogLine> lines;
  std::size_t number = 0;
  LogCells cells;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    const auto words = words_of(line);
    if (words.empty()) continue;
    if (words[0].starts_with("#")) {
      columns.clear();
      const std::size_t first = words[0] == "#" ? 2 : 1;
      for (std::size_t i = first; i < words.size(); ++i) columns.push_back(metric_of(words[i]));
      continue;
    }
    if (words[0] != "GPU" || words.size() < 3) continue;  // units, other entities
    if (words.size() != columns.size() + 2) {
      throw bad_input("line " + std::to_string(number) + ": has " + std::to_string(words.size() - 2) +
                      " values, the header " + std::to_string(columns.size()));
    }
    LogLine entry{kDelay * samples[words[1]]++, words[1], {}};
    entry.values.fill(std::numeric_limits<double>::quiet_NaN());
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns[i]) entry.values[*columns[i]] = cells.read(*columns[i], words[i + 2], number);
    }
    lines.push_back(std::move(entry));
  }
  cells.add_warnings(warnings);
  warnings.push_back("dcgmi dmon tells no times: samples are taken to be 1 s apart, its default");
  return lines;
}

}  // namespace layersim
