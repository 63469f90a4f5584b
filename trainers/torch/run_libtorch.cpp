// Networks and overheads of a run model, learned together by libtorch.

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <unordered_map>

#include "trainers/learning_rate.h"
#include "trainers/run_trainer.h"
#include "trainers/torch/device_factors.h"
#include "trainers/torch/run_columns.h"
#include "trainers/torch/run_loss.h"
#include "trainers/torch/torch_mlp.h"
#include "trainers/trainer_module.h"

namespace layersim {
namespace {

constexpr double kPriorSmoothness = 4;
constexpr double kSmoothnessDeviation = 0.5;  // of its logarithm

// Columns of a part's features that are not always 0, one at least: the network sees no others, which saves
// most of its work.
std::vector<std::int64_t> used_columns(const PartMatrix& part) {
  constexpr float kZero = 1e-6F;
  std::vector<std::int64_t> used;
  const auto width = static_cast<std::size_t>(part.feature_count);
  for (std::size_t column = 0; column < width; ++column) {
    bool is_used = false;
    for (std::size_t i = column; i < part.features.size() && !is_used; i += width)
      is_used = std::abs(part.features[i]) > kZero;
    if (is_used) used.push_back(static_cast<std::int64_t>(column));
  }
  if (used.empty()) used.push_back(0);  // no run has such a part, and a network needs an input
  return used;
}

// The first layer as the engine wants it, for all columns.
void widen(DenseLayer& layer, const std::vector<std::int64_t>& used, int feature_count) {
  const auto outputs = static_cast<std::size_t>(layer.outputs);
  const auto width = static_cast<std::size_t>(feature_count);
  std::vector<float> weights(outputs * width, 0.0F);
  for (std::size_t output = 0; output < outputs; ++output) {
    for (std::size_t i = 0; i < used.size(); ++i)
      weights[output * width + static_cast<std::size_t>(used[i])] = layer.weights[output * used.size() + i];
  }
  layer.inputs = feature_count;
  layer.weights = std::move(weights);
}

class RunNetwork {
 public:
  explicit RunNetwork(const RunTrainingTask& task) : task_(task), columns_(*task.set), device_factors_(task) {
    for (const PartMatrix& part : task.parts) {
      const auto rows = static_cast<std::int64_t>(part.features.size()) / part.feature_count;
      const std::vector<std::int64_t>& used = used_.emplace_back(used_columns(part));
      features_.push_back(matrix_of(part.features, static_cast<std::size_t>(rows), part.feature_count)
                              .index_select(1, torch::tensor(used)));
      AbsentDevice& absent = absent_.emplace_back();
      for (const std::int64_t column : used) {
        const std::int64_t device = column - part.device_column;
        if (device < 0) ++absent.column;
        if (device >= 0 && device < static_cast<std::int64_t>(part.absent_device.size()))
          absent.values.push_back(part.absent_device[static_cast<std::size_t>(device)]);
      }
      terms_.push_back(matrix_of(part.log_terms_ms, static_cast<std::size_t>(rows), part.term_count));
      networks_.emplace_back(static_cast<int>(used.size()), task.options.hidden, part.term_count,
                             task.options.seed * task.parts.size() + networks_.size());
    }
    const auto options = torch::TensorOptions().requires_grad(true);
    shifts_ = torch::zeros({static_cast<std::int64_t>(task.shifts.size()), kOverheads}, options);
    log_smoothness_ = torch::full({1}, std::log(kPriorSmoothness), options);
    prior_ = column_of({task.prior.begin(), task.prior.end()});
    // settings x shifts: which apply; those of one device apart, since a new device has none.
    const std::size_t width = task.shifts.size();
    std::vector<float> general(task.set->settings.size() * width, 0.0F);
    std::vector<float> own = general;
    for (std::size_t setting = 0; setting < task.shifts_of_setting.size(); ++setting) {
      for (const std::int64_t shift : task.shifts_of_setting[setting]) {
        const auto column = static_cast<std::size_t>(shift);
        (task.shifts[column].gpu.empty() ? general : own)[setting * width + column] = 1;
      }
    }
    general_ = matrix_of(general, task.set->settings.size(), static_cast<int>(width));
    own_ = matrix_of(own, task.set->settings.size(), static_cast<int>(width));
    std::vector<double> weights;
    for (const ShiftPlan& shift : task.shifts) {
      for (const double deviation : shift.deviation) weights.push_back(1 / (deviation * deviation));
    }
    prior_weights_ = column_of(weights).reshape({-1, static_cast<std::int64_t>(kOverheads)});
  }

  [[nodiscard]] std::vector<torch::Tensor> weights() const {
    std::vector<torch::Tensor> all;
    for (const TorchMlp& network : networks_) {
      for (const torch::Tensor& weight : network.parameters()) all.push_back(weight);
    }
    return all;
  }
  // What has a prior of its own.
  [[nodiscard]] std::vector<torch::Tensor> shifts() const {
    std::vector<torch::Tensor> all = device_factors_.parameters();
    all.insert(all.end(), {shifts_, log_smoothness_});
    return all;
  }

  [[nodiscard]] torch::Tensor penalty() const {
    const torch::Tensor off = (log_smoothness_ - std::log(kPriorSmoothness)) / kSmoothnessDeviation;
    return (shifts_ * shifts_ * prior_weights_).sum() + (off * off).sum() + device_factors_.penalty();
  }

  struct Prediction {
    torch::Tensor log_ms;
    torch::Tensor operations_ms;  // runs x classes
    torch::Tensor corrections;    // sum of the squares of the log factors of work other than convolutions
  };
  // Of these runs; those marked do not see their device.
  [[nodiscard]] Prediction forward(const std::vector<std::int64_t>& runs, const std::vector<bool>& hidden) {
    const torch::Tensor pick = torch::tensor(runs);
    const torch::Tensor is_layer = columns_.is_layer.index_select(0, pick);
    const auto [parts, operations_ms, corrections] = sum_parts(runs, hidden, is_layer);

    std::vector<std::int64_t> settings;
    std::vector<float> visible;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      settings.push_back(task_.set->runs[static_cast<std::size_t>(runs[i])].setting);
      visible.push_back(hidden[i] ? 0.0F : 1.0F);
    }
    const torch::Tensor of = torch::tensor(settings);
    const torch::Tensor applied =
        general_.index_select(0, of) + own_.index_select(0, of) * torch::tensor(visible).unsqueeze(1);
    const torch::Tensor values = torch::exp(prior_ + applied.matmul(shifts_));
    const auto value = [&](Overhead overhead) {
      return values.select(1, static_cast<std::int64_t>(overhead));
    };
    const auto column = [&](const torch::Tensor& all) { return all.index_select(0, pick); };

    const torch::Tensor update = column(columns_.update_ms) * value(Overhead::update);
    const torch::Tensor device = parts + update + column(columns_.kernels) * value(Overhead::gap);
    const torch::Tensor host = value(Overhead::step) + column(columns_.kernels) * value(Overhead::launch) +
                               column(columns_.update_kernels) * value(Overhead::update_launch);
    const torch::Tensor p = torch::exp(log_smoothness_);
    const torch::Tensor both = torch::logaddexp(p * torch::log(device), p * torch::log(host)) / p;
    const torch::Tensor copy = torch::log(column(columns_.input_bytes) * value(Overhead::copy) + 1e-9);
    return {torch::where(is_layer, torch::log(parts + update), torch::logaddexp(both, copy)), operations_ms,
            corrections};
  }

  [[nodiscard]] torch::Tensor log_ms(const std::vector<std::int64_t>& runs) const {
    return columns_.log_ms.index_select(0, torch::tensor(runs));
  }
  [[nodiscard]] torch::Tensor operations_ms(const std::vector<std::int64_t>& runs) const {
    return columns_.operations_ms.index_select(0, torch::tensor(runs));
  }

  [[nodiscard]] RunFit fit() const {
    RunFit fit;
    for (std::size_t f = 0; f < networks_.size(); ++f) {
      Mlp& layers = fit.networks.emplace_back(networks_[f].copy_layers());
      widen(layers.front(), used_[f], task_.parts[f].feature_count);
      fit.factor_weights.push_back(device_factors_.fitted(f));
    }
    fit.smoothness = std::exp(log_smoothness_.item<double>());
    for (std::int64_t i = 0; i < shifts_.size(0); ++i) {
      OverheadLogs& shift = fit.shifts.emplace_back();
      for (std::size_t k = 0; k < kOverheads; ++k) {
        shift.at(k) = shifts_[i][static_cast<std::int64_t>(k)].item<double>();
      }
    }
    return fit;
  }

 private:
  // Rows of one family that a batch needs, each once, and where they are summed up.
  struct Gathered {
    std::vector<std::int64_t> rows;
    std::vector<std::int64_t> hidden;  // of `rows`, those that do not see their device
    std::vector<std::int64_t> from;    // index into rows
    std::vector<std::int64_t> to;      // index into the batch
    std::vector<float> repeats;
    std::vector<std::int64_t> operations;  // of those that have a class: index into from and to
    std::vector<std::int64_t> classes;     // of each: run of the batch x classes + class
  };

  Gathered gather(std::size_t family, const std::vector<std::int64_t>& runs,
                  const std::vector<bool>& hidden) const {
    Gathered gathered;
    const PartRows& rows = task_.set->parts[family];
    std::unordered_map<std::int64_t, std::int64_t> places;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      for (const PartCount& part : task_.set->runs[static_cast<std::size_t>(runs[i])].parts) {
        if (part.family != static_cast<std::int32_t>(family)) continue;
        const std::int64_t key = 2 * static_cast<std::int64_t>(part.row) + (hidden[i] ? 1 : 0);
        const auto [entry, is_new] = places.try_emplace(key, static_cast<std::int64_t>(gathered.rows.size()));
        if (is_new) {
          if (hidden[i]) gathered.hidden.push_back(entry->second);
          gathered.rows.push_back(part.row);
        }
        if (const auto operation = rows.operation[static_cast<std::size_t>(part.row)]) {
          gathered.operations.push_back(static_cast<std::int64_t>(gathered.from.size()));
          gathered.classes.push_back(static_cast<std::int64_t>(i * kStepOperations) +
                                     static_cast<std::int64_t>(*operation));
        }
        gathered.from.push_back(entry->second);
        gathered.to.push_back(static_cast<std::int64_t>(i));
        gathered.repeats.push_back(part.repeats);
      }
    }
    return gathered;
  }

  struct PartSums {
    torch::Tensor ms;             // over the parts of each run, of layers with their launches
    torch::Tensor operations_ms;  // runs x classes
    torch::Tensor corrections;
  };
  PartSums sum_parts(const std::vector<std::int64_t>& runs, const std::vector<bool>& hidden,
                     const torch::Tensor& is_layer) {
    const auto count = static_cast<std::int64_t>(runs.size());
    const auto classes = static_cast<std::int64_t>(kStepOperations);
    torch::Tensor sums = torch::zeros({count});
    torch::Tensor by_class = torch::zeros({count * classes});
    torch::Tensor corrections = torch::zeros({});
    for (std::size_t f = 0; f < networks_.size(); ++f) {
      const Gathered gathered = gather(f, runs, hidden);
      if (gathered.rows.empty()) continue;
      const torch::Tensor rows = torch::tensor(gathered.rows);
      torch::Tensor x = features_[f].index_select(0, rows);
      if (!gathered.hidden.empty() && !absent_[f].values.empty()) {
        const torch::Tensor absent = torch::tensor(absent_[f].values);
        x.narrow(1, absent_[f].column, absent.size(0)).index_put_({torch::tensor(gathered.hidden)}, absent);
      }
      const torch::Tensor factors = networks_[f].outputs(x);
      if (task_.set->parts[f].family->name != "conv")
        corrections = corrections + factors.narrow(1, 1, factors.size(1) - 1).square().sum();
      const torch::Tensor z = factors + terms_[f].index_select(0, rows) + device_factors_.of_rows(f, rows);
      const torch::Tensor work = torch::exp(torch::logsumexp(z.narrow(1, 1, z.size(1) - 1), 1));
      const torch::Tensor launched = work + torch::exp(z.select(1, 0));
      const torch::Tensor from = torch::tensor(gathered.from);
      const torch::Tensor to = torch::tensor(gathered.to);
      const torch::Tensor time = torch::where(is_layer.index_select(0, to), launched.index_select(0, from),
                                              work.index_select(0, from));
      const torch::Tensor repeated = time * torch::tensor(gathered.repeats);
      sums = sums.index_add(0, to, repeated);
      by_class = by_class.index_add(0, torch::tensor(gathered.classes),
                                    repeated.index_select(0, torch::tensor(gathered.operations)));
    }
    return {sums, by_class.reshape({count, classes}), corrections};
  }

  // The one-hots of devices among the used columns, as a device without one has them.
  struct AbsentDevice {
    std::int64_t column = 0;  // the first of them
    std::vector<float> values;
  };

  const RunTrainingTask& task_;
  RunColumns columns_;
  DeviceFactors device_factors_;
  std::vector<std::vector<std::int64_t>> used_;  // columns, by family
  std::vector<AbsentDevice> absent_;
  std::vector<torch::Tensor> features_;
  std::vector<torch::Tensor> terms_;
  std::vector<TorchMlp> networks_;
  torch::Tensor shifts_, log_smoothness_, prior_, general_, own_, prior_weights_;
};

// Which of the task's layers to draw how often.
std::discrete_distribution<std::size_t> layer_draws(const RunTrainingTask& task) {
  const RunSet& set = *task.set;
  std::vector<double> draws;
  for (const std::size_t i : task.layers) {
    const bool convolves =
        std::any_of(set.runs[i].parts.begin(), set.runs[i].parts.end(), [&](const PartCount& part) {
          return set.parts[static_cast<std::size_t>(part.family)].family->name == "conv";
        });
    const bool within_network = !set.runs[i].network.empty();
    draws.push_back((convolves ? task.options.convolution_draws : 1) *
                    (within_network ? task.options.operator_draws : 1));
  }
  return {draws.begin(), draws.end()};
}

class LibtorchRunTrainer : public RunTrainer {
 public:
  [[nodiscard]] RunFit train(const RunTrainingTask& task,
                             const std::function<void(const RunProgress&)>& report) const override {
    at::set_num_threads(1);
    const RunTrainingOptions& options = task.options;
    std::mt19937_64 random(options.seed);
    RunNetwork network(task);
    std::vector<torch::optim::OptimizerParamGroup> groups;
    using Options = torch::optim::AdamWOptions;
    groups.emplace_back(
        network.weights(),
        std::make_unique<Options>(
            Options(options.learning_rate).betas({0.9, 0.99}).weight_decay(options.weight_decay)));
    groups.emplace_back(
        network.shifts(),
        std::make_unique<Options>(Options(options.learning_rate).betas({0.9, 0.99}).weight_decay(0)));
    torch::optim::AdamW optimizer(groups, Options(options.learning_rate).betas({0.9, 0.99}));

    std::vector<std::int64_t> order(task.runs.begin(), task.runs.end());
    const std::size_t batch =
        std::min<std::size_t>(static_cast<std::size_t>(options.batch_runs), order.size());
    const std::size_t batches = order.size() / batch;
    const std::size_t steps = batches * static_cast<std::size_t>(options.epochs);
    const double prior_weight = options.prior_weight / static_cast<double>(order.size());
    std::uniform_real_distribution<double> uniform(0, 1);
    std::discrete_distribution<std::size_t> draw_layer = layer_draws(task);
    std::size_t step = 0;
    for (int epoch = 1; epoch <= options.epochs; ++epoch) {
      std::shuffle(order.begin(), order.end(), random);
      double error_sum = 0;
      for (std::size_t b = 0; b < batches; ++b) {
        std::vector<std::int64_t> runs(order.begin() + static_cast<std::ptrdiff_t>(b * batch),
                                       order.begin() + static_cast<std::ptrdiff_t>((b + 1) * batch));
        std::vector<float> weights(batch, 1.0F / static_cast<float>(batch));
        if (!task.layers.empty()) {
          const auto count = static_cast<std::size_t>(options.batch_layers);
          for (std::size_t i = 0; i < count; ++i) {
            runs.push_back(static_cast<std::int64_t>(task.layers[draw_layer(random)]));
            weights.push_back(static_cast<float>(options.layer_weight / static_cast<double>(count)));
          }
        }
        std::vector<bool> hidden;
        for (std::size_t i = 0; i < runs.size(); ++i)
          hidden.push_back(uniform(random) < options.device_dropout);
        const double rate = scheduled_learning_rate(options.learning_rate, step++, steps);
        for (std::size_t g = 0; g < 2; ++g) {
          static_cast<Options&>(optimizer.param_groups()[g].options())
              .lr(g == 0 ? rate : rate * options.overhead_rate_factor);
        }
        const RunNetwork::Prediction predicted = network.forward(runs, hidden);
        const torch::Tensor residual = predicted.log_ms - network.log_ms(runs);
        const torch::Tensor loss =
            (huber(residual, options.huber_delta) * torch::tensor(weights)).sum() +
            options.operation_weight / static_cast<double>(batch) *
                division_loss(predicted.operations_ms, network.operations_ms(runs), options.huber_delta) +
            options.correction_weight / static_cast<double>(runs.size()) * predicted.corrections +
            prior_weight * network.penalty();
        optimizer.zero_grad();
        loss.backward();
        optimizer.step();
        error_sum += torch::expm1(residual.detach().narrow(0, 0, static_cast<std::int64_t>(batch)))
                         .abs()
                         .mean()
                         .item<double>();
      }
      report({epoch, options.epochs, error_sum / static_cast<double>(batches)});
    }
    return network.fit();
  }
};

}  // namespace
}  // namespace layersim

const layersim::RunTrainer* layersim_torch_run_trainer() {
  static const layersim::LibtorchRunTrainer kTrainer;
  return &kTrainer;
}
