#pragma once
// PROFET (Lee et al.): the batch time on a target device from a profile of operations on an anchor device,
// learned from networks that were profiled on both. As in the paper three models answer for each pair of
// devices and their median counts: a linear regression, a random forest and a dense network (128-64-32-16-1,
// ReLU). Other than in the paper
//   - times of operations are summed by what they do (operation_classes.h) and scaled so that, with the idle
//   time, they
//     fill the step: traces that were cut off then do not matter;
//   - the linear regression has no negative factors, minimises relative errors, and where training had no
//   operation of a
//     class takes what the device sheets say;
//   - forest and dense network predict how far off the linear regression is, as a factor.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim/methods/common/dense_network.h"
#include "sim/methods/common/forest.h"
#include "sim/methods/transfer/operation_profile.h"
#include "sim/methods/transfer/size_scaling.h"

namespace layersim {

// What is read of a profile: per step, in ms.
struct TransferInput {
  double step_ms = 0;          // measured, else what the device was busy and idle
  double unknown_share = 0;    // of the time on the device, in operations of names that are not known
  std::vector<double> linear;  // by operation class, then idle; all together step_ms
  std::vector<float> shape;    // shares of the classes, of idle time, of what was profiled; log of the times
};
// Throws bad_input when the profile does not tell the number of steps, or no time on the device.
[[nodiscard]] TransferInput transfer_input(const OperationProfile& profile);

struct TransferPair {
  std::string anchor;  // device keys
  std::string target;
  std::vector<double> factors;  // of TransferInput::linear
  double constant_ms = 0;
  Forest forest;  // of features(), a log factor
  Normalisation normalisation;
  DenseNetwork dense;  // the same, of normalised features
  // On networks that were left out of training in turn.
  double half_width = 0;  // of the 90 % interval of log(predicted / measured)
  double left_out_mape = 0;
  std::size_t rows = 0;  // trained on
};

struct TransferPrediction {
  double batch_ms = 0;  // median of the three
  double low_ms = 0;    // 90 % interval; wider with the share of unknown operations, up to half to twice
  double high_ms = 0;
  double linear_ms = 0;
  double forest_ms = 0;
  double dense_ms = 0;
};

// The linear regression's prediction.
[[nodiscard]] double linear_ms(const TransferPair& pair, const TransferInput& input);
// What forest and dense network read.
[[nodiscard]] std::vector<float> transfer_features(const TransferInput& input, double linear_ms);
[[nodiscard]] TransferPrediction predict_transfer(const TransferPair& pair, const TransferInput& input);

struct TransferModel {
  std::vector<TransferPair> pairs;
  std::vector<SizeScaling> scalings;
  std::vector<std::string> networks;  // trained on
  std::vector<std::string> sources;   // file name and checksum
  std::string date;                   // ISO 8601
  std::uint64_t seed = 0;

  // Throws bad_use, naming the pairs that there are.
  [[nodiscard]] const TransferPair& pair(const std::string& anchor, const std::string& target) const;
  // The devices that training had.
  [[nodiscard]] std::vector<std::string> scaled_gpus(SizeAxis axis) const;
  // Of another device: the mean of all.
  [[nodiscard]] SizeScaling scaling(const std::string& gpu, SizeAxis axis) const;
};

// Throws bad_input, one line naming the file.
[[nodiscard]] TransferModel read_transfer_model(const std::filesystem::path& file);
void write_transfer_model(const TransferModel& model, const std::filesystem::path& file);
// The one that comes along.
[[nodiscard]] std::filesystem::path shipped_transfer_file();

}  // namespace layersim
