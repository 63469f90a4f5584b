#pragma once
// Training of a hybrid model on measured runs, and its error on networks or batches left out.

#include <functional>
#include <vector>

#include "sim/methods/common/error_table.h"
#include "trainers/methods/hybrid_steps.h"
#include "trainers/tree_trainer.h"

namespace layersim {

enum class HybridLeftOut : unsigned char { network, batch, gpu };

// Throws bad_input for less than two networks, and of one less than two batch sizes.
void check_trainable(const std::vector<HybridStep>& steps);
// Error and interval are those of networks left out in turn (of batches where there is one network). Throws
// as check_trainable() does.
[[nodiscard]] HybridModel train_hybrid(const std::vector<HybridStep>& steps, const TreeTrainer& trees,
                                       std::uint64_t seed);

// Throws bad_use for less than two networks, batch sizes or GPUs.
void check_left_out(const std::vector<HybridStep>& steps, HybridLeftOut what);
// Each network, batch size or GPU predicted by models of all others. Keys gpu, network; baseline
// `layerwise`: the step as the predictor of missing convolutions tells it.
[[nodiscard]] ErrorTable evaluate_hybrid_left_out(const std::vector<HybridStep>& steps, HybridLeftOut what,
                                                  const TreeTrainer& trees, std::uint64_t seed);
// By a trained model, which may have seen the runs.
[[nodiscard]] ErrorTable evaluate_hybrid(const std::vector<HybridStep>& steps, const HybridModel& model);

}  // namespace layersim
