#include <algorithm>

#include "sim/report/readable_text.h"
#include "sim/report/study_report.h"
#include "sim/report/study_words.h"
#include "sim/report/text_table.h"

namespace layersim {
namespace {

constexpr std::size_t kMaxRows = 60;     // longer tables show the best batch of each choice alone
constexpr std::size_t kMaxWarnings = 6;  // of many devices
constexpr std::size_t kMaxPareto = 12;
constexpr std::size_t kLabelWidth = 10;
constexpr double kMib = 1024.0 * 1024.0;

std::vector<std::size_t> shown_rows(const NetworkStudy& study, bool all_rows) {
  std::vector<std::size_t> rows;
  const bool all = all_rows || study.cells.size() <= kMaxRows;
  for (std::size_t i = 0; i < study.cells.size(); ++i) {
    if (all || study.best_of_choice[study.cells[i].choice] == i || study.cheapest == i) rows.push_back(i);
  }
  if (!all) {
    std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
      return study.cells[a].total_s < study.cells[b].total_s;
    });
  }
  return rows;
}

std::string row_table(const StudyRequest& request, const NetworkStudy& study,
                      const std::vector<std::size_t>& rows, std::size_t width) {
  const bool has_cost = std::any_of(request.choices.begin(), request.choices.end(),
                                    [](const StudyChoice& choice) { return choice.price.has_value(); });
  std::vector<TextColumn> columns{{.header = "hardware"},
                                  {.header = "batch", .right = true},
                                  {.header = "batch ms", .right = true},
                                  {.header = "90 % between", .right = true, .importance = 2},
                                  {.header = "samples/s", .right = true, .importance = 3},
                                  {.header = "epoch", .right = true}};
  if (request.epochs > 1) columns.push_back({.header = "all epochs", .right = true});
  columns.push_back({.header = "MiB", .right = true, .importance = 4});
  if (has_cost) columns.push_back({.header = "USD", .right = true});
  columns.push_back({.header = ""});
  TextTable table(columns);
  table.add_rule();
  std::size_t last_choice = rows.empty() ? 0 : study.cells[rows.front()].choice;
  const bool by_choice = rows.size() == study.cells.size() && request.batches.size() > 1;
  for (const std::size_t row : rows) {
    const StudyCell& cell = study.cells[row];
    if (by_choice && cell.choice != last_choice) table.add_rule();
    last_choice = cell.choice;
    const auto& interval = cell.step.interval_ms;
    std::vector<std::string> cells{
        request.choices[cell.choice].name,
        std::to_string(cell.batch),
        short_number(cell.step.batch_ms()),
        interval ? short_number(interval->low) + " - " + short_number(interval->high) : "",
        short_number(cell.samples_per_s()),
        duration(cell.epoch_s)};
    if (request.epochs > 1) cells.push_back(duration(cell.total_s));
    cells.push_back(with_thousands(cell.memory.total_bytes() / kMib));
    if (has_cost) cells.push_back(cell.cost_usd ? usd_text(*cell.cost_usd) : "");
    cells.push_back(row_note(study, row));
    table.add_row(std::move(cells));
  }
  return table.to_text(width);
}

std::string pareto_text(const StudyRequest& request, const NetworkStudy& study) {
  std::string text;
  for (std::size_t i = 0; i < study.pareto.size() && i < kMaxPareto; ++i) {
    const StudyCell& cell = study.cells[study.pareto[i]];
    text += (i == 0 ? "" : "; ") + cell_name(request, cell) + ' ' + duration(cell.total_s) + ' ' +
            usd_text(*cell.cost_usd) + " USD";
  }
  if (study.pareto.size() > kMaxPareto) {
    text += "; and " + std::to_string(study.pareto.size() - kMaxPareto) + " more";
  }
  return text;
}

std::string price_lines(const StudyRequest& request, std::size_t width) {
  std::string text;
  bool is_first = true;
  for (const StudyChoice& choice : request.choices) {
    if (!choice.price) continue;
    text += labelled_text(is_first ? "prices" : "", price_text(choice), kLabelWidth, width);
    is_first = false;
  }
  if (const std::string names = unpriced_names(request); !names.empty()) {
    text += labelled_text("no price", names, kLabelWidth, width);
  }
  is_first = true;
  for (const StudyChoice& choice : request.choices) {
    if (!choice.purchase) continue;
    text += labelled_text(is_first ? "to buy" : "", purchase_text(choice), kLabelWidth, width);
    is_first = false;
  }
  return text;
}

std::string warning_lines(const NetworkStudy& study, std::size_t width) {
  std::string text;
  for (std::size_t i = 0; i < study.warnings.size() && i < kMaxWarnings; ++i) {
    text += labelled_text("warning", printable(study.warnings[i]), kLabelWidth, width);
  }
  if (study.warnings.size() > kMaxWarnings) {
    text += labelled_text("", "(" + std::to_string(study.warnings.size() - kMaxWarnings) + " more in --json)",
                          kLabelWidth, width);
  }
  return text;
}

}  // namespace

std::string study_table(const StudyRequest& request, const NetworkStudy& study,
                        const StudyTableOptions& options) {
  const auto width = static_cast<std::size_t>(std::max(options.width, 40));
  const std::vector<std::size_t> rows = shown_rows(study, options.all_rows);
  std::string text = printable(study.network) + '\n';
  text += labelled_text("network", study_network_text(study), kLabelWidth, width) +
          labelled_text("run", study_run_text(request, study), kLabelWidth, width) + '\n';
  if (!rows.empty()) text += row_table(request, study, rows, width);
  if (rows.size() < study.cells.size()) {
    text += "(of " + with_thousands(static_cast<double>(study.cells.size())) +
            " rows the best batch of each; --all-rows shows all)\n";
  }
  text += '\n';
  if (study.fastest) {
    text += labelled_text("fastest", outcome_text(request, study, *study.fastest), kLabelWidth, width);
  } else {
    text += labelled_text("choice", why_nothing(study), kLabelWidth, width);
  }
  if (study.cheapest) {
    text += labelled_text("cheapest", outcome_text(request, study, *study.cheapest), kLabelWidth, width) +
            labelled_text("pareto", pareto_text(request, study), kLabelWidth, width);
  }
  return text + price_lines(request, width) + warning_lines(study, width);
}

}  // namespace layersim
