#include "sim/cli/regression_stacks.h"

#include <map>
#include <vector>

#include "sim/report/readable_text.h"

namespace layersim {
namespace {

// "runs.csv: line 7" -> "7"
std::string line_of(const RegressionRow& row) { return row.place.substr(row.place.rfind(' ') + 1); }

std::string lines_text(const std::vector<std::string>& lines) {
  constexpr std::size_t kMost = 4;
  if (lines.size() == 1) return "line " + lines.front();
  std::string text = "lines " + lines.front();
  const std::size_t shown = lines.size() > kMost ? kMost - 1 : lines.size();
  for (std::size_t i = 1; i < shown; ++i)
    text.append(i + 1 == lines.size() ? " and " : ", ").append(lines[i]);
  if (shown < lines.size()) text += " and " + std::to_string(lines.size() - shown) + " others";
  return text;
}

}  // namespace

std::string describe_unknown_stacks(const RegressionTable& table,
                                    const std::function<bool(const std::string&)>& is_known) {
  std::map<std::string, std::vector<std::string>> lines;
  for (const RegressionRow& row : table.rows) {
    if (!row.stack.empty() && !is_known(row.stack)) lines[row.stack].push_back(line_of(row));
  }
  std::string text;
  for (const auto& [stack, of_stack] : lines)
    text += (text.empty() ? "" : ", ") + printable(stack) + " (" + lines_text(of_stack) + ")";
  return text;
}

std::string warn_of_unfitted_stacks(const std::string& file, const RegressionTable& table,
                                    const RegressionModel& model) {
  const std::string unknown =
      describe_unknown_stacks(table, [&](const std::string& stack) { return model.knows_stack(stack); });
  if (unknown.empty()) return "";
  return file + ": stack " + unknown + ": no run of it was fitted, so the times are those of other software";
}

}  // namespace layersim
