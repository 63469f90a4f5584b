#pragma once
// Text and JSON of the command `transfer`.

#include <string>
#include <vector>

#include "sim/core/json.h"
#include "sim/methods/transfer/transfer_model.h"
#include "trainers/methods/transfer_evaluation.h"

namespace layersim {

// An operation whose name is not known: what it was taken for.
struct MappedOperation {
  std::string name;
  std::string mapped_to;        // empty: near to no known name
  std::string operation_class;  // "convolution"
  double share = 0;             // of the device's time
};

struct PredictedProfile {
  OperationProfile profile;
  double anchor_ms = 0;  // of a step
  TransferPrediction prediction;
  std::vector<MappedOperation> mapped;  // longest first
};

[[nodiscard]] std::vector<MappedOperation> map_operations(const OperationProfile& profile);

[[nodiscard]] Json prediction_json(const TransferPair& pair, const std::vector<PredictedProfile>& predicted);
[[nodiscard]] std::string prediction_text(const TransferPair& pair,
                                          const std::vector<PredictedProfile>& predicted);
[[nodiscard]] Json model_json(const TransferModel& model);
[[nodiscard]] std::string model_text(const TransferModel& model);
// `predictor`: its file, empty when networks were left out; `seen`: networks of the rows that it was trained
// on.
[[nodiscard]] Json evaluation_json(const TransferEvaluation& evaluation, const std::string& predictor,
                                   const std::vector<std::string>& seen);
[[nodiscard]] std::string evaluation_text(const TransferEvaluation& evaluation, const std::string& predictor,
                                          const std::vector<std::string>& seen);
[[nodiscard]] Json profile_json(const std::string& file, const std::vector<OperationProfile>& profiles);
[[nodiscard]] std::string profile_text(const OperationProfile& profile, std::size_t profiles);
[[nodiscard]] std::string scale_text(const std::string& gpu, std::string_view axis, double size,
                                     double time_ms);

}  // namespace layersim
