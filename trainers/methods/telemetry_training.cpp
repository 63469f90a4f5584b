#include "trainers/methods/telemetry_training.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "hwdb/device_db.h"
#include "sim/core/error.h"
#include "sim/methods/telemetry/signal.h"
#include "trainers/methods/matrix_normalisation.h"

namespace layersim {
namespace {

constexpr int kFolds = 5;
constexpr double kRidge = 3;  // penalty of the factors of normalised features
constexpr double kInterval = 0.9;

using Samples = std::vector<TelemetrySample>;

// Which part a sample belongs to: by the place of its group (job or network) among all groups in random
// order.
std::vector<int> parts_of(const Samples& samples, TelemetryLeaveOut what, int most_parts,
                          std::uint64_t seed) {
  const auto group = [&](const TelemetrySample& sample) {
    return what == TelemetryLeaveOut::job ? sample.job : sample.network;
  };
  std::set<std::string> names;
  for (const TelemetrySample& sample : samples) names.insert(group(sample));
  std::vector<std::string> order(names.begin(), names.end());
  std::mt19937_64 random(seed);
  std::shuffle(order.begin(), order.end(), random);
  std::map<std::string, int> part;
  for (std::size_t i = 0; i < order.size(); ++i) part[order[i]] = static_cast<int>(i) % most_parts;
  std::vector<int> parts;
  for (const TelemetrySample& sample : samples) parts.push_back(part[group(sample)]);
  return parts;
}

Samples select(const Samples& samples, const std::vector<int>& parts, int part, bool inside) {
  Samples selected;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if ((parts[i] == part) == inside) selected.push_back(samples[i]);
  }
  return selected;
}

std::vector<float> fit_ridge(const Matrix& inputs, const std::vector<float>& values) {
  const auto rows = static_cast<Eigen::Index>(inputs.rows());
  const auto columns = static_cast<Eigen::Index>(inputs.columns);
  Eigen::MatrixXd x(rows, columns + 1);
  Eigen::VectorXd y(rows);
  for (Eigen::Index i = 0; i < rows; ++i) {
    const auto row = inputs.row(static_cast<std::size_t>(i));
    for (Eigen::Index j = 0; j < columns; ++j)
      x(i, j) = static_cast<double>(row[static_cast<std::size_t>(j)]);
    x(i, columns) = 1;
    y(i) = static_cast<double>(values[static_cast<std::size_t>(i)]);
  }
  Eigen::MatrixXd squares = x.transpose() * x;
  for (Eigen::Index j = 0; j < columns; ++j) squares(j, j) += kRidge;
  const Eigen::VectorXd factors = squares.ldlt().solve(x.transpose() * y);
  std::vector<float> result;
  for (Eigen::Index j = 0; j <= columns; ++j) result.push_back(static_cast<float>(factors(j)));
  return result;
}

TelemetryModel fit_members(const Samples& samples, const TreeTrainer& trees, std::uint64_t seed) {
  Matrix features;
  TelemetryModel model;
  for (const TelemetrySample& sample : samples) {
    features.add_row(sample.features);
    model.known_values.push_back(static_cast<float>(sample.log_factor()));
  }
  TreeOptions forest;
  forest.seed = seed;
  forest.depth = 10;
  model.forest = trees.train(features, model.known_values, forest);
  TreeOptions boosting;
  boosting.seed = seed;
  boosting.rounds = 200;
  boosting.trees_a_round = 1;
  boosting.learning_rate = 0.06;
  boosting.depth = 4;
  boosting.row_share = 0.7;
  boosting.feature_share = 0.5;
  boosting.leaf_penalty = 1;
  model.boosting = trees.train(features, model.known_values, boosting);
  model.normalisation = normalisation_of(features);
  for (std::size_t i = 0; i < features.rows(); ++i)
    model.known_inputs.add_row(model.normalisation.apply(features.row(i)));
  model.ridge = fit_ridge(model.known_inputs, model.known_values);
  return model;
}

// Least squares without negative weights, by coordinate descent; the members are much alike.
std::array<double, kStackMembers.size()> fit_weights(
    const std::vector<std::array<double, kStackMembers.size()>>& answers, const std::vector<double>& values) {
  constexpr std::size_t kMembers = kStackMembers.size();
  std::array<std::array<double, kMembers>, kMembers> squares{};
  std::array<double, kMembers> products{};
  for (std::size_t i = 0; i < answers.size(); ++i) {
    for (std::size_t a = 0; a < kMembers; ++a) {
      products[a] += answers[i][a] * values[i];
      for (std::size_t b = 0; b < kMembers; ++b) squares[a][b] += answers[i][a] * answers[i][b];
    }
  }
  std::array<double, kMembers> weights{};
  weights.fill(1.0 / kMembers);
  for (int sweep = 0; sweep < 500; ++sweep) {
    for (std::size_t a = 0; a < kMembers; ++a) {
      double rest = products[a];
      for (std::size_t b = 0; b < kMembers; ++b) rest -= a == b ? 0 : squares[a][b] * weights[b];
      if (squares[a][a] > 0) weights[a] = std::max(0.0, rest / squares[a][a]);
    }
  }
  return weights;
}

double usual_log_factor(const Samples& samples, const TelemetrySample& like) {
  std::vector<double> factors;
  for (const TelemetrySample& sample : samples) {
    if (sample.anchor == like.anchor && sample.target == like.target) factors.push_back(sample.log_factor());
  }
  return factors.empty() ? 0 : median_of(factors);
}

void add_rows(ErrorTable& table, const Samples& tested, const Samples& trained, const TelemetryModel& model) {
  for (const TelemetrySample& sample : tested) {
    const double predicted_ms = 1000 * sample.anchor_s * std::exp(log_factor(model, sample.features));
    table.rows.push_back({{sample.anchor, sample.target, sample.network},
                          1000 * sample.target_s,
                          predicted_ms,
                          interval_of(model, predicted_ms, sample.anchor, sample.target,
                                      !outside_trained(model, sample.features).empty()),
                          {1000 * sample.anchor_s * std::exp(usual_log_factor(trained, sample))}});
  }
}

// Of jobs from or to each GPU, by members that were trained on those between all others; 0 where there are
// none of these.
double new_gpu_half_width(const Samples& samples, const TelemetryModel& model, const TreeTrainer& trees,
                          std::uint64_t seed) {
  std::vector<double> distances;
  for (const std::string& gpu : model.gpus) {
    Samples others;
    std::copy_if(samples.begin(), samples.end(), std::back_inserter(others),
                 [&](const TelemetrySample& sample) { return sample.anchor != gpu && sample.target != gpu; });
    if (others.empty()) continue;
    TelemetryModel fold = fit_members(others, trees, seed);
    fold.weights = model.weights;
    for (const TelemetrySample& sample : samples) {
      if (sample.anchor == gpu || sample.target == gpu)
        distances.push_back(std::abs(log_factor(fold, sample.features) - sample.log_factor()));
    }
  }
  return distances.empty() ? 0 : quantile_of(distances, kInterval);
}

ErrorTable empty_table() { return {{"anchor", "target", "network"}, 2, {"scaled_anchor"}, {}}; }

TelemetryModel fit_stack(const Samples& samples, const TreeTrainer& trees, std::uint64_t seed) {
  check_trainable(samples);
  std::set<std::string> gpus;
  std::set<std::string> networks;
  for (const TelemetrySample& sample : samples) {
    gpus.insert(sample.anchor);
    networks.insert(sample.network);
  }
  // The members' answers for networks that they have not seen tell how to weigh them, and how far off they
  // are.
  const TelemetryLeaveOut what = networks.size() > 1 ? TelemetryLeaveOut::network : TelemetryLeaveOut::job;
  const std::vector<int> parts = parts_of(samples, what, kFolds, seed);
  std::vector<std::array<double, kStackMembers.size()>> answers;
  std::vector<double> values;
  for (int part = 0; part < kFolds; ++part) {
    const Samples others = select(samples, parts, part, false);
    if (others.empty()) continue;
    const TelemetryModel fold = fit_members(others, trees, seed);
    for (const TelemetrySample& sample : select(samples, parts, part, true)) {
      answers.push_back(member_log_factors(fold, sample.features));
      values.push_back(sample.log_factor());
    }
  }
  TelemetryModel model = fit_members(samples, trees, seed);
  model.weights = fit_weights(answers, values);
  std::vector<double> distances;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    double sum = 0;
    for (std::size_t m = 0; m < answers[i].size(); ++m) sum += model.weights[m] * answers[i][m];
    distances.push_back(std::abs(sum - values[i]));
    model.left_out_mape += std::abs(std::exp(sum - values[i]) - 1) / static_cast<double>(answers.size());
  }
  model.half_width = quantile_of(distances, kInterval);
  model.gpus.assign(gpus.begin(), gpus.end());
  model.networks.assign(networks.begin(), networks.end());
  return model;
}

}  // namespace

double TelemetrySample::log_factor() const { return std::log(target_s / anchor_s); }

std::vector<TelemetrySample> pair_jobs(const std::vector<JobMetrics>& jobs) {
  const DeviceDb devices;
  std::map<std::string, Device> sheets;
  std::map<std::string, std::vector<const JobMetrics*>> by_job;
  for (const JobMetrics& job : jobs) {
    if (sheets.count(job.gpu) == 0) sheets.emplace(job.gpu, devices.find(job.gpu));
    const std::string name = job.network + '|' + std::to_string(job.batch) + '|' + std::to_string(job.pixel) +
                             '|' + std::to_string(job.dataset_size);
    by_job[name].push_back(&job);
  }
  std::vector<TelemetrySample> samples;
  for (const auto& [name, runs] : by_job) {
    for (const JobMetrics* anchor : runs) {
      for (const JobMetrics* target : runs) {
        if (anchor->gpu == target->gpu) continue;
        samples.push_back({anchor->gpu, target->gpu, anchor->network, name,
                           telemetry_features(*anchor, sheets.at(anchor->gpu), sheets.at(target->gpu)),
                           anchor->epoch_s, target->epoch_s});
      }
    }
  }
  if (samples.empty()) throw bad_input("the rows have no job that ran on two devices");
  return samples;
}

void check_trainable(const std::vector<TelemetrySample>& samples) {
  const bool several = std::any_of(samples.begin(), samples.end(), [&](const TelemetrySample& sample) {
    return sample.job != samples.front().job;
  });
  if (!several) throw bad_input("learning needs two jobs or more that ran on two devices each, not one");
}

void check_left_out(const std::vector<TelemetrySample>& samples, TelemetryLeaveOut what) {
  const bool several = std::any_of(samples.begin(), samples.end(), [&](const TelemetrySample& sample) {
    return what == TelemetryLeaveOut::network ? sample.network != samples.front().network
                                              : sample.job != samples.front().job;
  });
  if (!several) throw bad_input("leaving networks or jobs out needs two of them");
}

TelemetryModel train_telemetry(const std::vector<TelemetrySample>& samples, const TreeTrainer& trees,
                               std::uint64_t seed) {
  TelemetryModel model = fit_stack(samples, trees, seed);
  model.new_gpu_half_width = new_gpu_half_width(samples, model, trees, seed);
  return model;
}

ErrorTable evaluate_telemetry_left_out(const std::vector<TelemetrySample>& samples, TelemetryLeaveOut what,
                                       const TreeTrainer& trees, std::uint64_t seed) {
  constexpr int kEach = 1 << 20;  // a part for each network
  check_left_out(samples, what);
  const std::vector<int> parts =
      parts_of(samples, what, what == TelemetryLeaveOut::network ? kEach : kFolds, seed);
  const int count = *std::max_element(parts.begin(), parts.end()) + 1;
  ErrorTable table = empty_table();
  for (int part = 0; part < count; ++part) {
    const Samples others = select(samples, parts, part, false);
    add_rows(table, select(samples, parts, part, true), others, fit_stack(others, trees, seed));
  }
  return table;
}

ErrorTable evaluate_telemetry(const std::vector<TelemetrySample>& samples, const TelemetryModel& model) {
  ErrorTable table = empty_table();
  add_rows(table, samples, samples, model);
  return table;
}

}  // namespace layersim
