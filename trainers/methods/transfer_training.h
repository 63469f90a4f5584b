#pragma once
// Training of a transfer model, and its error on networks that were left out in turn.

#include <functional>
#include <span>

#include "hwdb/device.h"
#include "sim/methods/transfer/transfer_model.h"
#include "trainers/dense_trainer.h"
#include "trainers/methods/transfer_samples.h"
#include "trainers/tree_trainer.h"

namespace layersim {

struct TransferTrainers {
  const DenseTrainer* dense = nullptr;
  const TreeTrainer* trees = nullptr;
  DenseOptions dense_options;
  TreeOptions tree_options;
};
// Those of the modules; throws bad_use when one is missing.
[[nodiscard]] TransferTrainers load_transfer_trainers(std::uint64_t seed);

// anchor, target: what the device sheets say of them stands in for classes of operations without rows.
[[nodiscard]] TransferPair train_transfer_pair(const std::vector<TransferSample>& samples,
                                               const Device& anchor, const Device& target,
                                               const TransferTrainers& trainers);

struct LeftOutRow {
  std::string network;
  double measured_ms = 0;
  TransferPrediction prediction;
  double scaled_anchor_ms = 0;  // anchor's time, times the ratio that fits the other networks best
};
// Throws bad_use for less than two networks that were profiled on both devices.
void check_left_out(const TransferSet& set, const std::string& anchor, const std::string& target);
// Every repetition, predicted by models of the other networks. Throws as check_left_out() does.
[[nodiscard]] std::vector<LeftOutRow> leave_one_network_out(const TransferSet& set, const Device& anchor,
                                                            const Device& target,
                                                            const TransferTrainers& trainers);

// The same by a trained pair, which may have seen the networks.
[[nodiscard]] std::vector<LeftOutRow> predict_repetitions(const TransferSet& set, const TransferPair& pair);

// Throws bad_use where nothing can be trained: less than two devices, or a pair of them with profiles of less
// than two networks in common.
void check_trainable(const TransferSet& set);

struct TransferProgress {
  std::string pair;
  int done = 0;
  int pairs = 0;
};
// All pairs of devices of the set, with their interval from networks that were left out. Throws as
// check_trainable() does.
[[nodiscard]] TransferModel train_transfer(const TransferSet& set, const TransferTrainers& trainers,
                                           const std::function<void(const TransferProgress&)>& report);

}  // namespace layersim
