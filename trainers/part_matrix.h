#pragma once
// Rows of a run set as the networks see them.

#include <vector>

#include "sim/predictors/trained_network.h"
#include "trainers/run_dataset.h"
#include "trainers/run_trainer.h"

namespace layersim {

// Mean, scale and trained range of a network's features, from the rows that these runs have; its devices and
// stacks must be set.
void measure_parts(const RunSet& set, std::size_t family, const std::vector<std::size_t>& runs,
                   TrainedNetwork& network);

// All rows of a family, normalised.
[[nodiscard]] PartMatrix make_part_matrix(const RunSet& set, std::size_t family,
                                          const TrainedNetwork& network);

}  // namespace layersim
