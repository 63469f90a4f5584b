#include "sim/methods/regression/regression_table.h"

#include <algorithm>
#include <set>

#include "sim/core/error.h"
#include "sim/store/csv_reader.h"

namespace layersim {
namespace {

constexpr std::size_t kMostChoices = 40;

bool are_of_runs(const std::vector<std::string>& features) {
  return std::find(features.begin(), features.end(), "roofline_ms") != features.end();
}

// Throws bad_input for one that lacks a column.
bool is_run_table(const std::string& file) {
  const CsvReader csv(file);
  const auto has = [&](const char* name) {
    return std::find(csv.header().begin(), csv.header().end(), name) != csv.header().end();
  };
  if (!has("network") || !has("measured_ms") || (!has("gpu") && !has("batch"))) return false;
  for (const char* name : {"gpu", "batch"}) {
    if (!has(name))
      throw bad_input("has no column '" + std::string(name) +
                      "', as tables of runs have; columns of another table are named with --features");
  }
  return true;
}

std::string list_of(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

std::size_t RegressionTable::feature(std::string_view name) const {
  const auto found = std::find(features.begin(), features.end(), name);
  if (found == features.end())
    throw bad_use("the rows have no feature '" + std::string(name) + "', but " + list_of(features));
  return static_cast<std::size_t>(found - features.begin());
}

bool RegressionTable::is_of_runs() const { return are_of_runs(features); }

RegressionTable read_regression_table(const std::string& file, const ColumnChoice& choice,
                                      const std::vector<Device>& own_devices) {
  const bool chooses = !choice.features.empty() || !choice.target.empty();
  const bool of_runs =
      !chooses && (choice.read_by_predictor.empty() ? with_context(file, [&] { return is_run_table(file); })
                                                    : are_of_runs(choice.read_by_predictor));
  if (of_runs) return read_run_features(file, choice.needs_target, own_devices);
  return with_context(file, [&] { return read_column_features(file, choice, own_devices); });
}

void add_choices(RegressionTable& table, const std::string& name, std::span<const std::string> texts) {
  std::set<std::string> values(texts.begin(), texts.end());
  values.erase("");
  if (values.size() > kMostChoices || (values.size() < 2 && table.rows.size() > 1)) return;
  for (const std::string& value : values) {
    table.features.emplace_back(name).append("=").append(value);
    for (std::size_t i = 0; i < texts.size(); ++i)
      table.rows[i].features.push_back(texts[i] == value ? 1 : 0);
  }
}

void arrange_features(RegressionTable& table, const std::vector<std::string>& features) {
  constexpr std::size_t kAbsent = static_cast<std::size_t>(-1);
  std::vector<std::size_t> from;
  for (const std::string& name : features) {
    const auto found = std::find(table.features.begin(), table.features.end(), name);
    const bool is_there = found != table.features.end();
    if (!is_there && name.find('=') == std::string::npos)
      throw bad_input("the rows lack '" + name + "', which the predictor reads");
    from.push_back(is_there ? static_cast<std::size_t>(found - table.features.begin()) : kAbsent);
  }
  for (RegressionRow& row : table.rows) {
    std::vector<double> arranged;
    arranged.reserve(from.size());
    for (const std::size_t i : from) arranged.push_back(i == kAbsent ? 0 : row.features[i]);
    row.features = std::move(arranged);
  }
  table.features = features;
}

}  // namespace layersim
