#include "sim/report/text_table.h"

#include <algorithm>
#include <numeric>

#include "sim/report/readable_text.h"

namespace layersim {
namespace {

constexpr std::size_t kGap = 2;         // between columns
constexpr std::size_t kMinShrunk = 14;  // a shrinking column is not made narrower

void append_padded(std::string& line, const std::string& cell, std::size_t width, bool right) {
  const std::size_t used = std::min(display_width(cell), width);
  if (right) line.append(width - used, ' ');
  line += cell;
  if (!right) line.append(width - used, ' ');
}

}  // namespace

std::string TextTable::to_text(std::size_t width) const {
  std::vector<std::size_t> widths;
  std::vector<std::size_t> shown(columns_.size());
  std::iota(shown.begin(), shown.end(), 0);
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t widest = display_width(columns_[c].header);
    for (const auto& row : rows_) {
      if (!row.empty()) widest = std::max(widest, display_width(row[c]));
    }
    widths.push_back(widest);
  }
  // Too wide: shrink first, then leave out, then shrink what is left.
  const auto least = [&](std::size_t c) {
    return columns_[c].shrinks ? std::min(widths[c], kMinShrunk) : widths[c];
  };
  const auto needed = [&](auto&& width_of) {
    std::size_t sum = shown.empty() ? 0 : kGap * (shown.size() - 1);
    for (const std::size_t c : shown) sum += width_of(c);
    return sum;
  };
  while (needed(least) > width) {
    auto victim = shown.end();
    for (auto c = shown.begin(); c != shown.end(); ++c) {
      const int importance = columns_[*c].importance;
      if (importance > 0 && (victim == shown.end() || importance < columns_[*victim].importance)) victim = c;
    }
    if (victim == shown.end()) break;
    shown.erase(victim);
  }
  for (const std::size_t c : shown) {
    const std::size_t total = needed([&](std::size_t column) { return widths[column]; });
    if (!columns_[c].shrinks || total <= width) continue;
    const std::size_t excess = total - width;
    widths[c] = std::max(std::min(widths[c], kMinShrunk), widths[c] > excess ? widths[c] - excess : 0);
  }

  const std::size_t line_width = needed([&](std::size_t column) { return widths[column]; });
  std::string text;
  const auto append_line = [&](auto&& cell_of) {
    std::string line;
    for (const std::size_t c : shown) {
      if (!line.empty()) line.append(kGap, ' ');
      append_padded(line, keep_end(cell_of(c), widths[c]), widths[c], columns_[c].right);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  };
  append_line([&](std::size_t c) { return columns_[c].header; });
  for (const auto& row : rows_) {
    if (row.empty()) {
      text.append(line_width, '-');
      text += '\n';
    } else {
      append_line([&](std::size_t c) { return row[c]; });
    }
  }
  return text;
}

}  // namespace layersim
