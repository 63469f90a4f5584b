// The report as text in a terminal: what was asked, the layers or blocks of layers, the totals, what is
// covered.

#include <algorithm>

#include "sim/report/facts.h"
#include "sim/report/layer_rows.h"
#include "sim/report/readable_text.h"
#include "sim/report/report.h"
#include "sim/report/text_table.h"

namespace layersim {
namespace {

TextTable layer_table(const Report& report, const std::vector<LayerRow>& rows) {
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
  const bool hypothetical = timed && report.run->before;
  if (hypothetical) columns.push_back({.header = "before ms", .right = true});
  if (hypothetical) columns.push_back({.header = "bound by"});
  if (timed) columns.push_back({.header = "share", .right = true, .importance = 5});

  TextTable table(columns);
  table.add_rule();
  for (const LayerRow& row : rows) {
    std::vector<std::string> cells{printable(row.label), printable(row.kind), row.output,
                                   row.params == 0 ? "" : with_thousands(row.params),
                                   row.macs == 0 ? "" : with_prefix(row.macs)};
    if (!timed) cells.push_back(with_prefix(row.bytes));
    if (timed) cells.push_back(short_number(row.forward_ms));
    if (training) cells.push_back(short_number(row.backward_ms));
    if (training) cells.push_back(row.optimizer_ms == 0 ? "" : short_number(row.optimizer_ms));
    if (hypothetical) cells.push_back(short_number(row.before_ms));
    if (hypothetical) cells.push_back(row.bound_by);
    if (timed) {
      cells.push_back(percent(report.run->batch_ms > 0 ? row.total_ms() / report.run->batch_ms : 0));
    }
    table.add_row(std::move(cells));
  }
  table.add_rule();
  return table;
}

}  // namespace

std::string to_table(const Report& report, const TableOptions& options) {
  const auto width = static_cast<std::size_t>(std::max(options.width, 40));
  const std::vector<LayerRow> rows = layer_rows(report, options.all_layers);
  std::string out = facts_before(report, width) + '\n' + layer_table(report, rows).to_text(width);
  if (rows.size() < report.layers.size()) out += "(by block; --all-layers shows every layer)\n";
  return out + '\n' + facts_after(report, width);
}

}  // namespace layersim
