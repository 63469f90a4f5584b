#include "trainers/methods/transfer_training.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "hwdb/device_db.h"
#include "sim/core/error.h"
#include "sim/methods/transfer/operation_classes.h"
#include "trainers/methods/matrix_normalisation.h"
#include "trainers/methods/nonnegative_fit.h"
#include "trainers/methods/size_scaling_fit.h"
#include "trainers/torch_module.h"
#include "trainers/xgboost_module.h"

namespace layersim {
namespace {

constexpr double kPriorWeight = 0.01;
constexpr double kInterval = 0.9;

// Factors of a class by the device sheets alone; idle time is the host's and stays.
std::vector<double> sheet_factors(const Device& anchor, const Device& target) {
  std::vector<double> factors;
  for (const OperationClass& operation_class : operation_classes()) {
    factors.push_back(operation_class.bound == Bound::arithmetic
                          ? anchor.peak_fp32_gflops / target.peak_fp32_gflops
                          : anchor.memory_bandwidth_gb_s / target.memory_bandwidth_gb_s);
  }
  factors.push_back(1);
  factors.push_back(0);  // the constant
  return factors;
}

void fit_linear(TransferPair& pair, const std::vector<TransferSample>& samples, const Device& anchor,
                const Device& target) {
  NonnegativeFit fit;
  fit.prior = sheet_factors(anchor, target);
  fit.columns = fit.prior.size();
  fit.prior_weight = kPriorWeight;
  for (const TransferSample& sample : samples) {
    fit.inputs.insert(fit.inputs.end(), sample.input.linear.begin(), sample.input.linear.end());
    fit.inputs.push_back(1);
    fit.values.push_back(sample.time_ms);
  }
  pair.factors = fit.solve();
  pair.constant_ms = pair.factors.back();
  pair.factors.pop_back();
}

// Least squares through the origin.
double anchor_ratio(const std::vector<TransferSample>& samples) {
  double products = 0;
  double squares = 0;
  for (const TransferSample& sample : samples) {
    products += sample.input.step_ms * sample.time_ms;
    squares += sample.input.step_ms * sample.input.step_ms;
  }
  return products / squares;
}

std::set<std::string> networks_to_leave_out(const std::vector<TransferSample>& samples,
                                            const std::string& anchor, const std::string& target) {
  std::set<std::string> networks;
  for (const TransferSample& sample : samples) networks.insert(sample.network);
  if (networks.size() < 2)
    throw bad_use("leaving a network out needs two networks that were profiled on " + anchor + " and " +
                  target);
  return networks;
}

double mean_ape(const std::vector<LeftOutRow>& rows) {
  double sum = 0;
  for (const LeftOutRow& row : rows) sum += std::abs(row.prediction.batch_ms / row.measured_ms - 1);
  return sum / static_cast<double>(rows.size());
}

double half_width_of(const std::vector<LeftOutRow>& rows) {
  std::vector<double> distances;
  for (const LeftOutRow& row : rows)
    distances.push_back(std::abs(std::log(row.prediction.batch_ms / row.measured_ms)));
  std::sort(distances.begin(), distances.end());
  const auto at = static_cast<std::size_t>(std::ceil(kInterval * static_cast<double>(distances.size())));
  return distances[std::clamp<std::size_t>(at, 1, distances.size()) - 1];
}

}  // namespace

TransferTrainers load_transfer_trainers(std::uint64_t seed) {
  TransferTrainers trainers;
  trainers.dense = load_torch_dense_trainer();
  if (trainers.dense == nullptr)
    throw bad_use("the dense network is trained by libtorch, which this program was built without");
  trainers.trees = &load_tree_trainer();
  trainers.dense_options.seed = seed;
  trainers.tree_options.seed = seed;
  return trainers;
}

TransferPair train_transfer_pair(const std::vector<TransferSample>& samples, const Device& anchor,
                                 const Device& target, const TransferTrainers& trainers) {
  TransferPair pair;
  pair.anchor = anchor.key;
  pair.target = target.key;
  pair.rows = samples.size();
  fit_linear(pair, samples, anchor, target);

  Matrix features;
  DenseTask task;
  std::vector<float> log_factors;
  for (const TransferSample& sample : samples) {
    const double base_ms = linear_ms(pair, sample.input);
    features.add_row(transfer_features(sample.input, base_ms));
    log_factors.push_back(static_cast<float>(std::log(sample.time_ms / base_ms)));
    task.base_ms.push_back(static_cast<float>(base_ms));
    task.time_ms.push_back(static_cast<float>(sample.time_ms));
  }
  pair.forest = trainers.trees->train(features, log_factors, trainers.tree_options);
  pair.normalisation = normalisation_of(features);
  Matrix inputs;
  for (std::size_t i = 0; i < features.rows(); ++i) inputs.add_row(pair.normalisation.apply(features.row(i)));
  task.features = &inputs;
  task.options = trainers.dense_options;
  pair.dense = {trainers.dense->train(task)};
  return pair;
}

std::vector<LeftOutRow> leave_one_network_out(const TransferSet& set, const Device& anchor,
                                              const Device& target, const TransferTrainers& trainers) {
  const std::vector<TransferSample> samples = set.workloads(anchor.key, target.key);
  const std::vector<TransferSample> repetitions = set.repetitions(anchor.key, target.key);
  const std::set<std::string> networks = networks_to_leave_out(samples, anchor.key, target.key);
  std::vector<LeftOutRow> rows;
  for (const std::string& network : networks) {
    std::vector<TransferSample> others;
    for (const TransferSample& sample : samples) {
      if (sample.network != network) others.push_back(sample);
    }
    const TransferPair pair = train_transfer_pair(others, anchor, target, trainers);
    const double ratio = anchor_ratio(others);
    for (const TransferSample& sample : repetitions) {
      if (sample.network != network) continue;
      rows.push_back(
          {network, sample.time_ms, predict_transfer(pair, sample.input), ratio * sample.input.step_ms});
    }
  }
  // The interval of a network by the errors of all others.
  for (const std::string& network : networks) {
    std::vector<LeftOutRow> others;
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(others),
                 [&](const LeftOutRow& row) { return row.network != network; });
    const double half_width = half_width_of(others);
    for (LeftOutRow& row : rows) {
      if (row.network != network) continue;
      row.prediction.low_ms = row.prediction.batch_ms * std::exp(-half_width);
      row.prediction.high_ms = row.prediction.batch_ms * std::exp(half_width);
    }
  }
  return rows;
}

std::vector<LeftOutRow> predict_repetitions(const TransferSet& set, const TransferPair& pair) {
  const double ratio = anchor_ratio(set.workloads(pair.anchor, pair.target));
  std::vector<LeftOutRow> rows;
  for (const TransferSample& sample : set.repetitions(pair.anchor, pair.target)) {
    rows.push_back(
        {sample.network, sample.time_ms, predict_transfer(pair, sample.input), ratio * sample.input.step_ms});
  }
  return rows;
}

void check_left_out(const TransferSet& set, const std::string& anchor, const std::string& target) {
  static_cast<void>(networks_to_leave_out(set.workloads(anchor, target), anchor, target));
}

void check_trainable(const TransferSet& set) {
  const std::vector<std::string> gpus = set.gpus();
  if (gpus.size() < 2) throw bad_use("training needs profiles of the same networks on two devices");
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) check_left_out(set, gpus[j], gpus[i]);
  }
}

TransferModel train_transfer(const TransferSet& set, const TransferTrainers& trainers,
                             const std::function<void(const TransferProgress&)>& report) {
  const DeviceDb devices;
  const std::vector<std::string> gpus = set.gpus();
  check_trainable(set);
  const auto pairs = static_cast<int>(gpus.size() * (gpus.size() - 1));
  TransferModel model;
  model.networks = set.networks();
  model.seed = trainers.tree_options.seed;
  // For each device batch, then pixel.
  const auto by_batch = size_series(set.times(), SizeAxis::batch);
  const auto by_pixel = size_series(set.times(), SizeAxis::pixel);
  for (const std::string& gpu : gpus) {
    model.scalings.push_back(fit_size_scaling(by_batch, gpu, SizeAxis::batch, ""));
    model.scalings.push_back(fit_size_scaling(by_pixel, gpu, SizeAxis::pixel, ""));
  }
  for (const std::string& anchor : gpus) {
    for (const std::string& target : gpus) {
      if (anchor == target) continue;
      report({anchor + " to " + target, static_cast<int>(model.pairs.size()), pairs});
      const Device from = devices.find(anchor);
      const Device to = devices.find(target);
      const auto left_out = leave_one_network_out(set, from, to, trainers);
      TransferPair pair = train_transfer_pair(set.workloads(anchor, target), from, to, trainers);
      pair.half_width = half_width_of(left_out);
      pair.left_out_mape = mean_ape(left_out);
      model.pairs.push_back(std::move(pair));
    }
  }
  return model;
}

}  // namespace layersim
