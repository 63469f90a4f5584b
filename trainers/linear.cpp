// Time = a + b x FLOP, a and b for each device: the baseline of Justus et al. 2018. As a network it has one
// layer, which reads the one-hot of the device alone: log a and log b are the factors of the launch term and
// of the terms of arithmetic, and all other terms are switched off.

#include <algorithm>
#include <chrono>
#include <cmath>

#include "sim/features/feature_family.h"
#include "trainers/trainer.h"

namespace layersim {
namespace {

constexpr float kOff = -60;
constexpr double kLeastFactor = 1e-6;  // a line through measured times can have a negative end

// Of the devices' one-hots: their values in the normalised rows for a device and for all others.
struct OneHot {
  float hot = 1;
  float cold = 0;
};

struct Line {
  double launch = 1;  // factor of the launch term
  double work = 1;    // of the others in use
};

class LinearFit {
 public:
  explicit LinearFit(const TrainingTask& task)
      : matrix_(*task.training),
        terms_(static_cast<std::size_t>(matrix_.term_count)),
        first_device_(static_cast<std::size_t>(task.device_column)),
        used_(terms_, false) {
    bool any_flop = false;
    for (std::size_t k = 1; k < terms_; ++k) {
      used_[k] = matrix_.family->terms[k].find("flop") != std::string_view::npos;
      any_flop = any_flop || used_[k];
    }
    // Kinds without products: their physical terms as they are.
    if (!any_flop) std::fill(used_.begin() + 1, used_.end(), true);
  }

  [[nodiscard]] Mlp layers(const TrainingTask& task) const {
    std::vector<OneHot> one_hots;
    std::vector<Line> lines;
    Line mean{0, 0};
    for (std::size_t g = 0; g < matrix_.gpus.size(); ++g) {
      one_hots.push_back({1, task.absent_device[g]});
      lines.push_back(fit(g, one_hots.back()));
      mean.launch += std::log(lines.back().launch) / static_cast<double>(matrix_.gpus.size());
      mean.work += std::log(lines.back().work) / static_cast<double>(matrix_.gpus.size());
    }
    DenseLayer layer{matrix_.feature_count, matrix_.term_count, {}, {}};
    const auto inputs = static_cast<std::size_t>(matrix_.feature_count);
    layer.weights.assign(inputs * terms_, 0.0F);
    for (std::size_t k = 0; k < terms_; ++k) {
      // A device that was not trained on gets the mean of the others.
      const double common = k == 0 ? mean.launch : mean.work;
      double bias = common;
      for (std::size_t g = 0; g < lines.size() && (k == 0 || used_[k]); ++g) {
        const double own = std::log(k == 0 ? lines[g].launch : lines[g].work) - common;
        const double weight = own / static_cast<double>(one_hots[g].hot - one_hots[g].cold);
        layer.weights[k * inputs + first_device_ + g] = static_cast<float>(weight);
        bias -= weight * static_cast<double>(one_hots[g].cold);
      }
      layer.bias.push_back(k == 0 || used_[k] ? static_cast<float>(bias) : kOff);
    }
    return {layer};
  }

 private:
  // Least squares of the rows of one device, in ms.
  [[nodiscard]] Line fit(std::size_t gpu, OneHot& one_hot) const {
    double ll = 0, lw = 0, ww = 0, lt = 0, wt = 0;
    for (std::size_t row = 0; row < matrix_.rows(); ++row) {
      const float value =
          matrix_.features[row * static_cast<std::size_t>(matrix_.feature_count) + first_device_ + gpu];
      if (value <= one_hot.cold) continue;
      one_hot.hot = value;
      const float* terms = matrix_.log_terms_ms.data() + row * terms_;
      const double launch = std::exp(static_cast<double>(terms[0]));
      double work = 0;
      for (std::size_t k = 1; k < terms_; ++k) work += used_[k] ? std::exp(static_cast<double>(terms[k])) : 0;
      const double time_ms = std::exp(static_cast<double>(matrix_.log_time_ms[row]));
      ll += launch * launch;
      lw += launch * work;
      ww += work * work;
      lt += launch * time_ms;
      wt += work * time_ms;
    }
    const double determinant = ll * ww - lw * lw;
    Line line;
    if (determinant > 1e-12 * ll * ww) {
      line = {(lt * ww - wt * lw) / determinant, (wt * ll - lt * lw) / determinant};
    } else if (ll + ww > 0) {
      line.launch = line.work = (lt + wt) / (ll + 2 * lw + ww);
    }
    return {std::max(line.launch, kLeastFactor), std::max(line.work, kLeastFactor)};
  }

  const FeatureMatrix& matrix_;
  std::size_t terms_;
  std::size_t first_device_;
  std::vector<bool> used_;  // per term
};

double validation_mape(const FeatureMatrix& matrix, const DenseLayer& layer) {
  double sum = 0;
  const auto inputs = static_cast<std::size_t>(matrix.feature_count);
  const auto terms = static_cast<std::size_t>(matrix.term_count);
  for (std::size_t row = 0; row < matrix.rows(); ++row) {
    double time_ms = 0;
    for (std::size_t k = 0; k < terms; ++k) {
      double factor = static_cast<double>(layer.bias[k] + matrix.log_terms_ms[row * terms + k]);
      for (std::size_t i = 0; i < inputs; ++i) {
        factor += static_cast<double>(layer.weights[k * inputs + i] * matrix.features[row * inputs + i]);
      }
      time_ms += std::exp(factor);
    }
    sum += std::abs(time_ms / std::exp(static_cast<double>(matrix.log_time_ms[row])) - 1);
  }
  return sum / static_cast<double>(matrix.rows());
}

class LinearTrainer final : public Trainer {
 public:
  [[nodiscard]] std::string_view name() const override { return "linear"; }

  [[nodiscard]] Mlp train(const TrainingTask& task, const ProgressReport& report) const override {
    const auto start = std::chrono::steady_clock::now();
    Mlp layers = LinearFit(task).layers(task);
    const double mape = validation_mape(*task.validation, layers.front());
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    report({1, 1, 0, mape, elapsed.count()});
    return layers;
  }
};

}  // namespace

const Trainer& linear_trainer() {
  static const LinearTrainer kTrainer;
  return kTrainer;
}

}  // namespace layersim
