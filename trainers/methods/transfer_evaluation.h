#pragma once
// The error tables of the transfer method.

#include <functional>
#include <optional>

#include "sim/methods/common/error_table.h"
#include "trainers/methods/transfer_training.h"

namespace layersim {

struct TransferEvaluation {
  ErrorTable pairs;  // keys anchor, target, network; baseline: the anchor's time scaled
  ErrorTable batch;  // scaling to a batch size between two: keys gpu, network; baseline: a straight line
  ErrorTable pixel;  // the same for the image size
};

struct TransferChoice {
  std::string anchor;  // empty: all
  std::string target;
};

// Throws bad_use when no pair of devices is chosen, or one with profiles of less than two networks in common.
void check_left_out(const TransferSet& set, const TransferChoice& choice);
// Each network predicted by models of all others. Throws as check_left_out() does.
[[nodiscard]] TransferEvaluation evaluate_left_out(
    const TransferSet& set, const TransferChoice& choice, const TransferTrainers& trainers,
    const std::function<void(const TransferProgress&)>& report);
// By a trained model: the pairs that it has.
[[nodiscard]] TransferEvaluation evaluate_model(const TransferSet& set, const TransferChoice& choice,
                                                const TransferModel& model);

}  // namespace layersim
