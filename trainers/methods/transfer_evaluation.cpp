#include "trainers/methods/transfer_evaluation.h"

#include <algorithm>
#include <limits>

#include "hwdb/device_db.h"
#include "sim/core/error.h"
#include "trainers/methods/size_scaling_fit.h"

namespace layersim {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

struct DevicePair {
  std::string anchor;
  std::string target;
};

bool is_chosen(const TransferChoice& choice, const std::string& anchor, const std::string& target) {
  return anchor != target && (choice.anchor.empty() || choice.anchor == anchor) &&
         (choice.target.empty() || choice.target == target);
}

std::vector<DevicePair> chosen_pairs(const TransferSet& set, const TransferChoice& choice) {
  const std::vector<std::string> gpus = set.gpus();
  std::vector<DevicePair> pairs;
  for (const std::string& anchor : gpus) {
    for (const std::string& target : gpus) {
      if (is_chosen(choice, anchor, target)) pairs.push_back({anchor, target});
    }
  }
  return pairs;
}

ErrorTable pair_table() { return {{"anchor", "target", "network"}, 2, {"scaled_anchor"}, {}}; }

void add_rows(ErrorTable& table, const std::string& anchor, const std::string& target,
              const std::vector<LeftOutRow>& rows) {
  for (const LeftOutRow& row : rows) {
    const TransferPrediction& prediction = row.prediction;
    table.rows.push_back({{anchor, target, row.network},
                          row.measured_ms,
                          prediction.batch_ms,
                          {prediction.low_ms, prediction.high_ms},
                          {row.scaled_anchor_ms}});
  }
}

// `scaling_for(gpu, network)`: the scaling to use.
template <typename ScalingFor>
ErrorTable scaling_table(const std::vector<SizeSeries>& series, const ScalingFor& scaling_for) {
  ErrorTable table{{"gpu", "network"}, 1, {"straight_line"}, {}};
  for (const SizeSeries& one : series) {
    const SizeScaling scaling = scaling_for(one.gpu, one.network);
    const SizeScaling straight{one.gpu, scaling.axis, 0};
    const SizedTime& first = one.times.front();
    const SizedTime& last = one.times.back();
    for (std::size_t i = 1; i + 1 < one.times.size(); ++i) {
      const SizedTime& known = one.times[i];
      table.rows.push_back({{one.gpu, one.network},
                            known.time_ms,
                            scale_time(scaling, first, last, known.size),
                            {kUnknown, kUnknown},
                            {scale_time(straight, first, last, known.size)}});
    }
  }
  return table;
}

}  // namespace

void check_left_out(const TransferSet& set, const TransferChoice& choice) {
  const std::vector<DevicePair> pairs = chosen_pairs(set, choice);
  if (pairs.empty()) throw bad_use("the rows have no such pair of anchor and target");
  for (const auto& [anchor, target] : pairs) check_left_out(set, anchor, target);
}

TransferEvaluation evaluate_left_out(const TransferSet& set, const TransferChoice& choice,
                                     const TransferTrainers& trainers,
                                     const std::function<void(const TransferProgress&)>& report) {
  check_left_out(set, choice);
  const DeviceDb devices;
  const std::vector<DevicePair> pairs = chosen_pairs(set, choice);
  TransferEvaluation evaluation{pair_table(), {}, {}};
  int done = 0;
  for (const auto& [anchor, target] : pairs) {
    report({anchor + " to " + target, done++, static_cast<int>(pairs.size())});
    add_rows(evaluation.pairs, anchor, target,
             leave_one_network_out(set, devices.find(anchor), devices.find(target), trainers));
  }
  for (const SizeAxis axis : {SizeAxis::batch, SizeAxis::pixel}) {
    const auto series = size_series(set.times(), axis);
    (axis == SizeAxis::batch ? evaluation.batch : evaluation.pixel) =
        scaling_table(series, [&](const std::string& gpu, const std::string& network) {
          return fit_size_scaling(series, gpu, axis, network);
        });
  }
  return evaluation;
}

TransferEvaluation evaluate_model(const TransferSet& set, const TransferChoice& choice,
                                  const TransferModel& model) {
  TransferEvaluation evaluation{pair_table(), {}, {}};
  const std::vector<std::string> gpus = set.gpus();
  const auto has = [&](const std::string& gpu) {
    return std::find(gpus.begin(), gpus.end(), gpu) != gpus.end();
  };
  for (const TransferPair& pair : model.pairs) {
    if (!is_chosen(choice, pair.anchor, pair.target) || !has(pair.anchor) || !has(pair.target)) continue;
    add_rows(evaluation.pairs, pair.anchor, pair.target, predict_repetitions(set, pair));
  }
  if (evaluation.pairs.rows.empty())
    throw bad_use("no rows of a pair of anchor and target that the predictor knows");
  for (const SizeAxis axis : {SizeAxis::batch, SizeAxis::pixel}) {
    (axis == SizeAxis::batch ? evaluation.batch : evaluation.pixel) =
        scaling_table(size_series(set.times(), axis),
                      [&](const std::string& gpu, const std::string&) { return model.scaling(gpu, axis); });
  }
  return evaluation;
}

}  // namespace layersim
