#include "sim/cli/regression_unfitted.h"

#include <algorithm>
#include <map>

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

using IsKnown = std::function<bool(const std::string&)>;

// A row that is a network has no line.
std::string describe_unknown(const RegressionTable& table, std::string RegressionRow::*condition,
                             const IsKnown& is_known) {
  std::map<std::string, std::vector<std::string>> lines;
  for (const RegressionRow& row : table.rows) {
    if ((row.*condition).empty() || is_known(row.*condition)) continue;
    std::vector<std::string>& of_text = lines[row.*condition];
    if (!row.place.empty()) of_text.push_back(line_of(row));
  }
  std::vector<std::string> texts;
  texts.reserve(lines.size());
  for (const auto& [text, of_text] : lines)
    texts.push_back(printable(text) + (of_text.empty() ? "" : " (" + lines_text(of_text) + ')'));
  return name_list(texts);
}

}  // namespace

std::string describe_unknown_stacks(const RegressionTable& table, const IsKnown& is_known) {
  return describe_unknown(table, &RegressionRow::stack, is_known);
}

std::vector<std::string> warn_of_unfitted(const std::string& what, const RegressionTable& table,
                                          const RegressionModel& model) {
  const bool is_network = table.rows.front().place.empty();
  std::vector<std::string> warnings;
  const std::string stacks =
      describe_unknown_stacks(table, [&](const std::string& stack) { return model.knows_stack(stack); });
  if (!stacks.empty()) {
    warnings.push_back((is_network ? "--stack " : what + ": stack ") + stacks +
                       ": no run of it was fitted, so the " +
                       (is_network ? "time is that" : "times are those") + " of other software");
  }
  const auto add = [&](const std::string& name, std::string RegressionRow::*condition,
                       const std::vector<std::string>& fitted) {
    const std::string unknown = describe_unknown(table, condition, [&](const std::string& text) {
      return fitted.empty() || std::find(fitted.begin(), fitted.end(), text) != fitted.end();
    });
    if (unknown.empty()) return;
    warnings.push_back(what + ": " + name + ' ' + unknown + ": no such run was fitted: extrapolated from " +
                       name_list(fitted));
  };
  add("precision", &RegressionRow::precision, model.precisions);
  add("mode", &RegressionRow::mode, model.modes);
  add("optimizer", &RegressionRow::optimizer, model.optimizers);
  return warnings;
}

}  // namespace layersim
