#include "sim/report/study_words.h"

#include <algorithm>

#include "sim/report/price_report.h"
#include "sim/report/readable_text.h"

namespace layersim {

// "k80 at batch 64"
std::string cell_name(const StudyRequest& request, const StudyCell& cell) {
  return request.choices[cell.choice].name + " at batch " + std::to_string(cell.batch);
}

std::string row_note(const NetworkStudy& study, std::size_t row) {
  const StudyCell& cell = study.cells[row];
  if (!cell.enough_samples) return "fewer than GPUs";
  if (!cell.fits()) return "does NOT fit";
  if (!cell.within_budget) return "over budget";
  if (!cell.within_deadline) return "too late";
  std::string text;
  const auto add = [&](const std::string& word) { text += (text.empty() ? "" : ", ") + word; };
  if (study.fastest == row) add("fastest");
  if (study.cheapest == row) add("cheapest");
  if (study.best_of_choice[cell.choice] == row) add("best batch");
  return text;
}

std::string outcome_text(const StudyRequest& request, const NetworkStudy& study, std::size_t row) {
  const StudyCell& cell = study.cells[row];
  std::string text = cell_name(request, cell) + ": " + duration(cell.total_s);
  if (cell.total_interval_s) {
    text += " (90 % between " + duration(cell.total_interval_s->low) + " and " +
            duration(cell.total_interval_s->high) + ')';
  }
  if (cell.cost_usd) text += ", " + usd_text(*cell.cost_usd) + " USD";
  return text;
}

std::string why_nothing(const NetworkStudy& study) {
  const auto any = [&](bool (*holds)(const StudyCell&)) {
    return std::any_of(study.cells.begin(), study.cells.end(), holds);
  };
  if (!any([](const StudyCell& cell) { return cell.fits(); })) return "nothing: no batch fits any memory";
  return "nothing: what fits in memory does not meet the budget or the deadline";
}

std::string study_run_text(const StudyRequest& request, const NetworkStudy& study) {
  std::string run = request.mode == Mode::training
                        ? "training with " + std::string(name(request.optimizer.value_or(Optimizer::sgd)))
                        : std::string("forward passes");
  run += ", " + with_thousands(static_cast<double>(request.epochs)) +
         (request.epochs == 1 ? " epoch" : " epochs") + " of " +
         with_thousands(static_cast<double>(request.dataset_size)) + " samples";
  if (!study.stack.empty()) run += ", in " + study.stack + " (--stack names another)";
  return run;
}

std::string study_network_text(const NetworkStudy& study) {
  return with_thousands(study.params) + " parameters, " + with_prefix(study.macs_per_sample, "MACs") +
         " in a forward pass of one sample";
}

std::string price_text(const StudyChoice& choice) {
  return choice.name + ' ' + hourly_price_text(*choice.price);
}

std::string purchase_text(const StudyChoice& choice) {
  const Purchase& purchase = *choice.purchase;
  std::string text = choice.name + ": " + with_thousands(purchase.card_usd) + " USD (" + purchase.date +
                     ") and " + short_number(purchase.power_usd_per_hour) + " USD/h for " +
                     short_number(purchase.watts) + " W";
  if (purchase.break_even_h) {
    text += "; cheaper than renting after " + with_thousands(*purchase.break_even_h) + " hours of use";
  }
  return text;
}

std::string unpriced_names(const StudyRequest& request) {
  std::string names;
  for (const StudyChoice& choice : request.choices) {
    if (!choice.price) names += (names.empty() ? "" : ", ") + choice.name;
  }
  return names;
}

}  // namespace layersim
