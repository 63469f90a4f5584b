// The report as text in a terminal: what was asked, the layers or blocks of layers, the totals, what is
// covered.

#include <algorithm>

#include "sim/report/blocks.h"
#include "sim/report/facts.h"
#include "sim/report/readable_text.h"
#include "sim/report/report.h"
#include "sim/report/text_table.h"

namespace layersim {
namespace {

// More layers than this are summarised by block.
constexpr std::size_t kMaxLayerRows = 60;
constexpr std::size_t kMaxBlockRows = 40;

// A line of the table: one layer, or the sum over a block.
struct Row {
  std::string label;
  std::string kind;
  std::string output;
  double params = 0;
  double macs = 0;
  double bytes = 0;
  double forward_ms = 0;
  double backward_ms = 0;
  double optimizer_ms = 0;
};

std::string kind_text(const LayerReport& layer) {
  if (layer.kind.empty()) return "? " + printable(layer.op);
  return layer.activation.empty() ? layer.kind : layer.kind + "+" + std::string(layer.activation);
}

Row sum_of(const Block& block, const std::vector<LayerReport>& layers) {
  Row row;
  std::size_t unmodelled = 0;
  for (const std::size_t i : block.members) {
    const LayerReport& layer = layers[i];
    row.params += layer.params;
    row.macs += layer.macs;
    row.bytes += layer.bytes;
    row.forward_ms += layer.time.forward_ms;
    row.backward_ms += layer.time.backward_ms;
    row.optimizer_ms += layer.time.optimizer_ms;
    if (layer.kind.empty()) ++unmodelled;
  }
  const LayerReport& last = layers[block.members.back()];
  row.label = printable(block.name);
  row.output = last.output_shape ? to_string(*last.output_shape) : "?";
  if (block.members.size() == 1) {
    row.kind = kind_text(last);
    if (last.repeats == 0) row.label += " (not run)";
    if (last.repeats > 1) row.label += " x" + with_thousands(last.repeats);
  } else {
    row.kind = with_thousands(static_cast<double>(block.members.size())) + " layers";
    if (unmodelled > 0) row.kind += ", " + with_thousands(static_cast<double>(unmodelled)) + " ?";
  }
  return row;
}

std::vector<Row> rows_of(const Report& report, bool all_layers) {
  const std::vector<LayerReport>& layers = report.layers;
  std::vector<Block> blocks;
  if (all_layers || layers.size() <= kMaxLayerRows) {
    for (std::size_t i = 0; i < layers.size(); ++i) blocks.push_back({layers[i].name, {i}});
  } else {
    std::vector<std::string_view> names;
    names.reserve(layers.size());
    for (const LayerReport& layer : layers) names.emplace_back(layer.name);
    blocks = group_into_blocks(names, kMaxBlockRows);
  }
  std::vector<Row> rows;
  rows.reserve(blocks.size());
  for (const Block& block : blocks) rows.push_back(sum_of(block, layers));
  return rows;
}

TextTable layer_table(const Report& report, const std::vector<Row>& rows) {
  std::vector<TextColumn> columns{{.header = "layer", .shrinks = true},
                                  {.header = "kind", .importance = 6},
                                  {.header = "output", .importance = 2},
                                  {.header = "params", .right = true, .importance = 1},
                                  {.header = "MACs", .right = true, .importance = 3}};
  const bool timed = report.run.has_value();
  const bool training = timed && report.run->mode == Mode::training;
  if (!timed) columns.push_back({.header = "bytes", .right = true, .importance = 4});
  if (timed) columns.push_back({.header = "forward ms", .right = true});
  if (training) columns.push_back({.header = "backward ms", .right = true});
  if (training) columns.push_back({.header = "update ms", .right = true, .importance = 4});
  if (timed) columns.push_back({.header = "share", .right = true, .importance = 5});

  TextTable table(columns);
  table.add_rule();
  for (const Row& row : rows) {
    std::vector<std::string> cells{row.label, row.kind, row.output,
                                   row.params == 0 ? "" : with_thousands(row.params),
                                   row.macs == 0 ? "" : with_prefix(row.macs)};
    if (!timed) cells.push_back(with_prefix(row.bytes));
    if (timed) cells.push_back(short_number(row.forward_ms));
    if (training) cells.push_back(short_number(row.backward_ms));
    if (training) cells.push_back(row.optimizer_ms == 0 ? "" : short_number(row.optimizer_ms));
    if (timed) {
      const double sum_ms = row.forward_ms + row.backward_ms + row.optimizer_ms;
      cells.push_back(percent(report.run->batch_ms > 0 ? sum_ms / report.run->batch_ms : 0));
    }
    table.add_row(std::move(cells));
  }
  table.add_rule();
  return table;
}

}  // namespace

std::string to_table(const Report& report, const TableOptions& options) {
  const auto width = static_cast<std::size_t>(std::max(options.width, 40));
  const std::vector<Row> rows = rows_of(report, options.all_layers);
  std::string out = facts_before(report, width) + '\n' + layer_table(report, rows).to_text(width);
  if (rows.size() < report.layers.size()) out += "(by block; --all-layers shows every layer)\n";
  return out + '\n' + facts_after(report, width);
}

}  // namespace layersim
