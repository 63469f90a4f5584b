// What a run model says of the runs of a set: the same arithmetic as the engine (trained_network.cpp), on
// features that are there already.

#include <algorithm>
#include <cmath>
#include <map>

#include "sim/predictors/dense_kernel.h"
#include "sim/predictors/stream_limits.h"
#include "trainers/part_matrix.h"
#include "trainers/run_training.h"

namespace layersim {
namespace {

struct RowTimes {
  std::vector<float> log_work_ms;  // without the launch
  std::vector<float> log_ms;
  std::vector<bool> outside;  // the trained range
};

// The log factors of the terms for the device of each row.
void add_log_factors(const RunSet& set, std::size_t family, const TrainedNetwork& network,
                     PartMatrix& matrix) {
  std::vector<std::vector<float>> of_settings;
  for (const RunSetting& setting : set.settings)
    of_settings.push_back(term_log_factors(network, setting.conditions()));
  const auto terms = static_cast<std::size_t>(matrix.term_count);
  for (std::size_t row = 0; row < set.parts[family].rows(); ++row) {
    const auto& log_factors = of_settings[static_cast<std::size_t>(set.parts[family].setting[row])];
    for (std::size_t k = 0; k < terms; ++k) matrix.log_terms_ms[row * terms + k] += log_factors[k];
  }
}

bool is_outside(const PartRows& parts, std::size_t row, const TrainedNetwork& network) {
  const std::size_t own = parts.family->features.size();
  const float* features = parts.features.data() + row * own;
  for (std::size_t f = 0; f < own; ++f) {
    if (features[f] < network.low[f] || features[f] > network.high[f]) return true;
  }
  return false;
}

// A block of rows, feature by feature as DenseKernel wants it.
void load_block(const std::vector<float>& values, std::size_t columns, std::span<const std::int32_t> rows,
                std::vector<float>& block) {
  block.assign(columns * kBlockRows, 0.0F);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const float* row = values.data() + static_cast<std::size_t>(rows[r]) * columns;
    for (std::size_t c = 0; c < columns; ++c) block[c * kBlockRows + r] = row[c];
  }
}

class PartPredictor {
 public:
  PartPredictor(const TrainedNetwork& network, const PartMatrix& matrix)
      : network_(network), matrix_(matrix) {}

  void run_block(std::span<const std::int32_t> rows, RowTimes& times) {
    load_block(matrix_.features, static_cast<std::size_t>(matrix_.feature_count), rows, inputs_);
    load_block(matrix_.log_terms_ms, static_cast<std::size_t>(matrix_.term_count), rows, terms_);
    const float share = 1.0F / static_cast<float>(network_.members.size());
    for (const Mlp& member : network_.members) {
      std::vector<float> values = inputs_;
      for (std::size_t i = 0; i < member.size(); ++i) {
        const DenseLayer& layer = member[i];
        std::vector<float> next(static_cast<std::size_t>(layer.outputs) * kBlockRows);
        kernel_.dense({layer.weights.data(), layer.inputs}, layer.bias.data(), layer.inputs, layer.outputs,
                      i + 1 < member.size(), values.data(), next.data());
        values = std::move(next);
      }
      float log_ms[kBlockRows];
      float log_work_ms[kBlockRows];
      kernel_.log_sum_exp(values.data(), terms_.data(), matrix_.term_count, log_ms);
      kernel_.log_sum_exp(values.data() + kBlockRows, terms_.data() + kBlockRows, matrix_.term_count - 1,
                          log_work_ms);
      for (std::size_t r = 0; r < rows.size(); ++r) {
        times.log_ms[static_cast<std::size_t>(rows[r])] += share * log_ms[r];
        times.log_work_ms[static_cast<std::size_t>(rows[r])] += share * log_work_ms[r];
      }
    }
  }

 private:
  const TrainedNetwork& network_;
  const PartMatrix& matrix_;
  const DenseKernel& kernel_ = dense_kernel();
  std::vector<float> inputs_, terms_;
};

// As run_layers.cpp does. The first of the terms is the launch, which is not in log_work_ms.
void limit_streams(const PartRows& parts, std::span<const std::int32_t> rows, RowTimes& times) {
  const auto& features = parts.family->features;
  const auto backward_column = static_cast<std::size_t>(
      std::find_if(features.begin(), features.end(),
                   [](const FeatureSpec& feature) { return feature.name == "is_backward"; }) -
      features.begin());
  const std::size_t terms = parts.family->terms.size();
  for (const std::int32_t row : rows) {
    const auto place = static_cast<std::size_t>(row);
    const float* log_terms_ms = parts.log_terms_ms.data() + place * terms;
    const double sheet_ms =
        std::exp(static_cast<double>(*std::max_element(log_terms_ms + 1, log_terms_ms + terms)));
    float& log_ms = times.log_work_ms[place];
    log_ms = static_cast<float>(
        std::log(limited_stream_ms(std::exp(static_cast<double>(log_ms)), sheet_ms,
                                   parts.features[place * features.size() + backward_column] > 0)));
  }
}

RowTimes time_rows(const RunSet& set, std::size_t family, const std::vector<std::size_t>& runs,
                   const TrainedNetwork& network) {
  PartMatrix matrix = make_part_matrix(set, family, network);
  add_log_factors(set, family, network, matrix);
  const std::size_t all = set.parts[family].rows();
  std::vector<bool> wanted(all, false);
  for (const std::size_t i : runs) {
    for (const PartCount& part : set.runs[i].parts) {
      if (part.family == static_cast<std::int32_t>(family)) wanted[static_cast<std::size_t>(part.row)] = true;
    }
  }
  std::vector<std::int32_t> rows;
  for (std::size_t row = 0; row < all; ++row) {
    if (wanted[row]) rows.push_back(static_cast<std::int32_t>(row));
  }
  RowTimes times{std::vector<float>(all, 0.0F), std::vector<float>(all, 0.0F), std::vector<bool>(all, false)};
  for (const std::int32_t row : rows) {
    const auto place = static_cast<std::size_t>(row);
    times.outside[place] = is_outside(set.parts[family], place, network);
  }
  PartPredictor predictor(network, matrix);
  for (std::size_t first = 0; first < rows.size(); first += kBlockRows) {
    const std::size_t count = std::min<std::size_t>(kBlockRows, rows.size() - first);
    predictor.run_block(std::span(rows).subspan(first, count), times);
  }
  if (network.family == "streaming") limit_streams(set.parts[family], rows, times);
  return times;
}

}  // namespace

std::vector<RunPrediction> predict_runs(const RunModel& model, const RunSet& set,
                                        const std::vector<std::size_t>& runs) {
  // By the network that answers for the run's machine; single layers the specialist has not seen.
  const auto answering = [&](const MeasuredRun& run, std::size_t family) {
    const RunSetting& setting = set.setting(run);
    const std::string_view name = set.parts[family].family->name;
    return run.is_layer ? model.network(name) : model.network(name, setting.device->key, setting.stack);
  };
  std::vector<std::map<const TrainedNetwork*, RowTimes>> times(set.parts.size());
  for (std::size_t f = 0; f < set.parts.size(); ++f) {
    std::map<const TrainedNetwork*, std::vector<std::size_t>> runs_of;
    for (const std::size_t i : runs) runs_of[answering(set.runs[i], f)].push_back(i);
    for (const auto& [network, of_network] : runs_of)
      times[f].emplace(network, time_rows(set, f, of_network, *network));
  }
  std::vector<RunPrediction> predicted;
  for (const std::size_t i : runs) {
    const MeasuredRun& run = set.runs[i];
    const Conditions conditions = set.setting(run).conditions();
    const OverheadLogs logs = overheads(model, conditions.device->key, conditions.stack);
    const auto value = [&](Overhead overhead) {
      return std::exp(logs.at(static_cast<std::size_t>(overhead)));
    };
    LayersTime layers;
    double device_ms =
        run.host.update_bytes / (conditions.device->memory_bandwidth_gb_s * 1e6) * value(Overhead::update);
    for (const PartCount& part : run.parts) {
      const auto family = static_cast<std::size_t>(part.family);
      const RowTimes& rows = times[family].at(answering(run, family));
      const auto row = static_cast<std::size_t>(part.row);
      const float log_ms = (run.is_layer ? rows.log_ms : rows.log_work_ms)[row];
      const double ms = static_cast<double>(part.repeats) * std::exp(static_cast<double>(log_ms));
      device_ms += ms;
      layers.ms += ms;
      if (rows.outside[row]) layers.outside_ms += ms;
      if (model.is_new(set.weights(part), conditions.device->key)) layers.new_weights_ms += ms;
    }
    const bool is_known = model.knows(conditions.device->key, conditions.stack);
    if (run.is_layer) {
      predicted.push_back({device_ms, run_novelty(layers, is_known)});
      continue;
    }
    device_ms += run.host.kernels * value(Overhead::gap);
    predicted.push_back({batch_ms(model, conditions, device_ms, run.host), run_novelty(layers, is_known)});
  }
  return predicted;
}

}  // namespace layersim
