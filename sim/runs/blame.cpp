#include "sim/runs/blame.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "sim/core/error.h"
#include "sim/core/parse_number.h"
#include "sim/runs/time_field.h"
#include "sim/store/csv_reader.h"

namespace layersim {
namespace {

// A column of the file that a layer's time is in, and what of the prediction it stands for.
struct TimeColumn {
  std::size_t index;
  double (*part_ms)(const LayerPrediction&);
};

std::optional<std::size_t> find_column(const CsvReader& csv, std::string_view name) {
  const auto& header = csv.header();
  const auto found = std::find(header.begin(), header.end(), name);
  if (found == header.end()) return std::nullopt;
  return static_cast<std::size_t>(found - header.begin());
}

std::vector<TimeColumn> time_columns(const CsvReader& csv) {
  if (const auto total = find_column(csv, "measured_ms")) {
    return {{*total, [](const LayerPrediction& time) { return time.total_ms(); }}};
  }
  std::vector<TimeColumn> columns;
  if (const auto forward = find_column(csv, "forward_ms")) {
    columns.push_back({*forward, [](const LayerPrediction& time) { return time.forward_ms; }});
  }
  if (const auto backward = find_column(csv, "backward_ms")) {
    columns.push_back({*backward, [](const LayerPrediction& time) { return time.backward_ms; }});
  }
  if (columns.empty()) throw bad_input("has no column 'measured_ms', 'forward_ms' or 'backward_ms'");
  return columns;
}

// Layers by name and by their place in the list that `layersim show` prints, where an activation that is
// fused into a layer has a row of its own behind it. Both rows are that one layer.
class LayerFinder {
 public:
  LayerFinder(const CsvReader& csv, const Network& network)
      : name_column_(find_column(csv, "layer")), index_column_(find_column(csv, "index")) {
    if (!name_column_ && !index_column_) throw bad_input("has no column 'layer' or 'index'");
    for (std::size_t i = 0; i < network.layers.size(); ++i) {
      const Layer& layer = network.layers[i];
      row_of_.push_back(by_row_.size());
      by_row_.push_back(i);
      by_name_.emplace(layer.name, i);
      if (!layer.fused) continue;
      by_row_.push_back(i);
      by_name_.emplace(layer.fused->name, i);
    }
  }

  // Nothing: no layer has the name.
  [[nodiscard]] std::optional<std::size_t> find(const CsvReader& csv) const {
    if (name_column_) {
      const auto found = by_name_.find(label(csv));
      return found == by_name_.end() ? std::nullopt : std::optional(found->second);
    }
    const std::int64_t row = with_context("column 'index'", [&] {
      return parse_count("the index of a layer", csv.fields()[*index_column_], 0);
    });
    if (static_cast<std::size_t>(row) >= by_row_.size()) return std::nullopt;
    return by_row_[static_cast<std::size_t>(row)];
  }

  // Of the layer with that index.
  [[nodiscard]] std::size_t row(std::size_t layer) const { return row_of_[layer]; }

  [[nodiscard]] std::string label(const CsvReader& csv) const {
    return std::string(csv.fields()[name_column_ ? *name_column_ : *index_column_]);
  }

 private:
  std::optional<std::size_t> name_column_;
  std::optional<std::size_t> index_column_;
  std::vector<std::size_t> by_row_;
  std::vector<std::size_t> row_of_;
  std::unordered_map<std::string, std::size_t> by_name_;
};

BlamedLayer start(const Network& network, std::size_t index, const std::vector<TimeColumn>& columns,
                  const LayerPrediction& time) {
  const Layer& layer = network.layers[index];
  BlamedLayer blamed;
  blamed.name = layer.name;
  if (layer.problem.kind != nullptr) blamed.kind = layer.problem.kind->name;
  for (const TimeColumn& column : columns) blamed.predicted_ms += column.part_ms(time);
  return blamed;
}

Blame read_layers(const std::string& file, const Network& network,
                  const std::vector<LayerPrediction>& times) {
  CsvReader csv(file);
  const LayerFinder finder(csv, network);
  const std::vector<TimeColumn> columns = time_columns(csv);
  Blame blame;
  std::unordered_map<std::size_t, std::size_t> places;  // index of a layer -> its place in the result
  while (csv.next()) {
    with_context("line " + std::to_string(csv.line()), [&] {
      double measured_ms = 0;
      for (const TimeColumn& column : columns) {
        measured_ms += with_context("column '" + csv.header()[column.index] + "'",
                                    [&] { return parse_time_ms(csv.fields()[column.index], TimeOf::part); });
      }
      const auto index = finder.find(csv);
      if (!index) {
        blame.unmatched.push_back(finder.label(csv));
        blame.unmatched_ms += measured_ms;
        return;
      }
      const auto [place, is_new] = places.try_emplace(*index, blame.layers.size());
      if (is_new) {
        blame.layers.push_back(start(network, *index, columns, times[*index]));
        blame.layers.back().index = finder.row(*index);
      }
      blame.layers[place->second].measured_ms += measured_ms;
    });
  }
  if (blame.layers.empty() && !blame.unmatched.empty())
    throw bad_input("has no layer of the network, but '" + blame.unmatched.front() + "'" +
                    (blame.unmatched.size() > 1 ? " and others" : ""));
  return blame;
}

}  // namespace

Blame blame_layers(const std::string& file, const Network& network,
                   const std::vector<LayerPrediction>& times) {
  Blame blame;
  try {
    blame = read_layers(file, network, times);
  } catch (const Error& error) {
    throw bad_input(file + ": " + error.what());
  }
  double all_ms = 0;
  for (const BlamedLayer& layer : blame.layers) all_ms += std::fabs(layer.difference_ms());
  for (BlamedLayer& layer : blame.layers) {
    if (all_ms > 0) layer.share = std::fabs(layer.difference_ms()) / all_ms;
  }
  std::stable_sort(blame.layers.begin(), blame.layers.end(),
                   [](const BlamedLayer& a, const BlamedLayer& b) { return a.share > b.share; });
  return blame;
}

}  // namespace layersim
