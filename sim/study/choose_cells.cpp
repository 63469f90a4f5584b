#include "sim/study/choose_cells.h"

#include <algorithm>

namespace layersim {
namespace {

// Those with a cost that no other beats in both time and money, the fastest first.
std::vector<std::size_t> pareto_front(const std::vector<StudyCell>& cells) {
  std::vector<std::size_t> candidates;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (cells[i].is_eligible() && cells[i].cost_usd) candidates.push_back(i);
  }
  std::sort(candidates.begin(), candidates.end(), [&](std::size_t a, std::size_t b) {
    const StudyCell& x = cells[a];
    const StudyCell& y = cells[b];
    if (x.total_s != y.total_s) return x.total_s < y.total_s;
    return x.cost_usd != y.cost_usd ? *x.cost_usd < *y.cost_usd : a < b;
  });
  std::vector<std::size_t> front;
  for (const std::size_t i : candidates) {
    if (front.empty() || *cells[i].cost_usd < *cells[front.back()].cost_usd) front.push_back(i);
  }
  return front;
}

}  // namespace

void choose_cells(NetworkStudy& study, std::size_t choices) {
  const std::vector<StudyCell>& cells = study.cells;
  const auto keep_less = [&](std::optional<std::size_t>& best, std::size_t i, double value, double of_best) {
    if (!best || value < of_best) best = i;
  };
  study.best_of_choice.assign(choices, std::nullopt);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const StudyCell& cell = cells[i];
    if (!cell.is_eligible()) continue;
    std::optional<std::size_t>& best = study.best_of_choice[cell.choice];
    keep_less(best, i, cell.epoch_s, best ? cells[*best].epoch_s : 0);
    keep_less(study.fastest, i, cell.total_s, study.fastest ? cells[*study.fastest].total_s : 0);
    if (!cell.cost_usd) continue;
    keep_less(study.cheapest, i, *cell.cost_usd, study.cheapest ? *cells[*study.cheapest].cost_usd : 0);
  }
  study.pareto = pareto_front(cells);
}

}  // namespace layersim
