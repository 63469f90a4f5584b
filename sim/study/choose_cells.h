#pragma once
// What a study recommends.

#include "sim/study/study.h"

namespace layersim {

// Sets fastest, cheapest, pareto and best_of_choice from the cells.
void choose_cells(NetworkStudy& study, std::size_t choices);

}  // namespace layersim
