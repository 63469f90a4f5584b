// Feed-forward network by tiny-dnn, a library of headers: trains where libtorch is not installed. The head,
// the sum of the physical terms, and its gradient are ours, as tiny-dnn has nothing like it.

#define CNN_SINGLE_THREAD  // else it starts a thread for every small task

#include <tiny_dnn/tiny_dnn.h>

#include <chrono>
#include <cmath>
#include <numeric>
#include <random>
#include <unordered_map>

#include "trainers/learning_rate.h"
#include "trainers/trainer.h"

namespace layersim {
namespace {

// x * sigmoid(x). The activations of tiny-dnn derive from their output, which does not determine this one.
class SiluLayer final : public tiny_dnn::layer {
 public:
  explicit SiluLayer(tiny_dnn::serial_size_t width)
      : layer({tiny_dnn::vector_type::data}, {tiny_dnn::vector_type::data}), width_(width) {}

  [[nodiscard]] std::vector<tiny_dnn::shape3d> in_shape() const override { return {{width_, 1, 1}}; }
  [[nodiscard]] std::vector<tiny_dnn::shape3d> out_shape() const override { return {{width_, 1, 1}}; }
  [[nodiscard]] std::string layer_type() const override { return "silu"; }

  void forward_propagation(const std::vector<tiny_dnn::tensor_t*>& in_data,
                           std::vector<tiny_dnn::tensor_t*>& out_data) override {
    const tiny_dnn::tensor_t& in = *in_data[0];
    tiny_dnn::tensor_t& out = *out_data[0];
    for (std::size_t row = 0; row < in.size(); ++row) {
      for (std::size_t i = 0; i < width_; ++i) out[row][i] = in[row][i] / (1 + std::exp(-in[row][i]));
    }
  }

  void back_propagation(const std::vector<tiny_dnn::tensor_t*>& in_data,
                        const std::vector<tiny_dnn::tensor_t*>&, std::vector<tiny_dnn::tensor_t*>& out_grad,
                        std::vector<tiny_dnn::tensor_t*>& in_grad) override {
    const tiny_dnn::tensor_t& in = *in_data[0];
    for (std::size_t row = 0; row < in.size(); ++row) {
      for (std::size_t i = 0; i < width_; ++i) {
        const float x = in[row][i];
        const float gate = 1 / (1 + std::exp(-x));
        (*in_grad[0])[row][i] = (*out_grad[0])[row][i] * gate * (1 + x * (1 - gate));
      }
    }
  }

 private:
  tiny_dnn::serial_size_t width_;
};

// Adam with weight decay apart from the gradient (Loshchilov and Hutter 2019).
class AdamW final : public tiny_dnn::optimizer {
 public:
  explicit AdamW(double weight_decay) : weight_decay_(static_cast<float>(weight_decay)) {}

  // Before each step over all weights.
  void begin_step(double learning_rate) {
    learning_rate_ = static_cast<float>(learning_rate);
    ++steps_;
  }

  void update(const tiny_dnn::vec_t& gradient, tiny_dnn::vec_t& weights, bool /*parallelize*/) override {
    State& state = states_[&weights];
    state.mean.resize(weights.size(), 0.0F);
    state.square.resize(weights.size(), 0.0F);
    const float mean_correction = 1 - std::pow(kBeta1, static_cast<float>(steps_));
    const float square_correction = std::sqrt(1 - std::pow(kBeta2, static_cast<float>(steps_)));
    for (std::size_t i = 0; i < weights.size(); ++i) {
      state.mean[i] = kBeta1 * state.mean[i] + (1 - kBeta1) * gradient[i];
      state.square[i] = kBeta2 * state.square[i] + (1 - kBeta2) * gradient[i] * gradient[i];
      const float size = std::sqrt(state.square[i]) / square_correction + kEpsilon;
      weights[i] -= learning_rate_ * (weight_decay_ * weights[i] + state.mean[i] / mean_correction / size);
    }
  }

 private:
  static constexpr float kBeta1 = 0.9F;
  static constexpr float kBeta2 = 0.99F;
  static constexpr float kEpsilon = 1e-8F;
  struct State {
    std::vector<float> mean, square;
  };

  float weight_decay_;
  float learning_rate_ = 0;
  std::int64_t steps_ = 0;
  std::unordered_map<const tiny_dnn::vec_t*, State> states_;
};

class Network {
 public:
  Network(const TrainingTask& task, std::mt19937_64& random) {
    auto inputs = static_cast<tiny_dnn::serial_size_t>(task.training->feature_count);
    std::vector<int> widths = task.options.hidden;
    widths.push_back(task.training->term_count);
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const auto outputs = static_cast<tiny_dnn::serial_size_t>(widths[i]);
      auto dense = std::make_shared<Dense>(inputs, outputs);
      dense_.push_back(dense);
      nodes_.add(std::shared_ptr<tiny_dnn::layer>(dense));
      if (i + 1 < widths.size())
        nodes_.add(std::shared_ptr<tiny_dnn::layer>(std::make_shared<SiluLayer>(outputs)));
      inputs = outputs;
    }
    nodes_.setup(true);
    for (std::size_t i = 0; i < dense_.size(); ++i)
      set_first_weights(*dense_[i], i + 1 == dense_.size(), random);
  }

  // rows x outputs
  [[nodiscard]] std::vector<tiny_dnn::tensor_t> forward(const std::vector<tiny_dnn::tensor_t>& rows) {
    return nodes_.forward(rows);
  }
  // From the gradient of the outputs of the rows of the last forward().
  void step(const std::vector<tiny_dnn::tensor_t>& gradient, AdamW& optimizer) {
    nodes_.backward(gradient);
    nodes_.update_weights(&optimizer, static_cast<int>(gradient.size()));
  }

  [[nodiscard]] Mlp copy_layers() const {
    Mlp copies;
    for (const auto& dense : dense_) {
      const auto inputs = static_cast<std::size_t>(dense->in_shape()[0].size());
      const auto outputs = static_cast<std::size_t>(dense->out_shape()[0].size());
      const std::vector<const tiny_dnn::vec_t*> parts = std::as_const(*dense).weights();
      DenseLayer copy{static_cast<int>(inputs), static_cast<int>(outputs), {}, {}};
      copy.weights.resize(inputs * outputs);
      // There inputs x outputs.
      for (std::size_t i = 0; i < inputs; ++i) {
        for (std::size_t o = 0; o < outputs; ++o) copy.weights[o * inputs + i] = (*parts[0])[i * outputs + o];
      }
      copy.bias.assign(parts[1]->begin(), parts[1]->end());
      copies.push_back(std::move(copy));
    }
    return copies;
  }

 private:
  using Dense = tiny_dnn::fully_connected_layer<tiny_dnn::activation::identity>;

  // Uniform up to 1 / sqrt(inputs); the last layer begins near the physical terms as they are.
  static void set_first_weights(Dense& dense, bool last, std::mt19937_64& random) {
    const float bound = 1 / std::sqrt(static_cast<float>(dense.in_shape()[0].size()));
    std::uniform_real_distribution<float> uniform(-bound, bound);
    const std::vector<tiny_dnn::vec_t*> parts = dense.weights();
    for (float& weight : *parts[0]) weight = uniform(random) * (last ? 0.1F : 1.0F);
    for (float& bias : *parts[1]) bias = last ? 0.0F : uniform(random);
  }

  tiny_dnn::sequential nodes_;
  std::vector<std::shared_ptr<Dense>> dense_;
};

tiny_dnn::tensor_t features_of(const FeatureMatrix& matrix, std::size_t row) {
  const float* begin = matrix.features.data() + row * static_cast<std::size_t>(matrix.feature_count);
  return {tiny_dnn::vec_t(begin, begin + matrix.feature_count)};
}

// log sum_k exp(outputs_k + log term_k); `shares` become the terms' shares of the sum.
float log_time(const tiny_dnn::vec_t& outputs, const float* log_terms, std::vector<float>& shares) {
  float highest = -1e30F;
  for (std::size_t k = 0; k < shares.size(); ++k) {
    shares[k] = outputs[k] + log_terms[k];
    highest = std::max(highest, shares[k]);
  }
  float sum = 0;
  for (float& share : shares) {
    share = std::exp(share - highest);
    sum += share;
  }
  for (float& share : shares) share /= sum;
  return highest + std::log(sum);
}

class TinyDnnTrainer final : public Trainer {
 public:
  [[nodiscard]] std::string_view name() const override { return "tiny_dnn"; }

  [[nodiscard]] Mlp train(const TrainingTask& task, const ProgressReport& report) const override {
    const auto start = std::chrono::steady_clock::now();
    const TrainingOptions& options = task.options;
    std::mt19937_64 random(options.seed);
    Network network(task, random);
    AdamW optimizer(options.weight_decay);
    const std::size_t rows = task.training->rows();
    const std::size_t batch = std::min(static_cast<std::size_t>(options.batch_rows), rows);
    const std::size_t batches = std::max<std::size_t>((rows + batch / 2) / batch, 1);
    const auto steps = static_cast<std::int64_t>(batches) * options.epochs;
    std::vector<std::size_t> order(rows);
    std::iota(order.begin(), order.end(), std::size_t{0});
    Mlp best;
    double best_mape = 0;
    std::int64_t step = 0;
    for (int epoch = 1; epoch <= options.epochs; ++epoch) {
      std::shuffle(order.begin(), order.end(), random);
      double loss = 0;
      for (std::size_t b = 0; b < batches; ++b) {
        const std::size_t count = std::min(batch, rows - b * batch);
        optimizer.begin_step(scheduled_learning_rate(options.learning_rate, step++, steps));
        loss += train_batch(task, {order.data() + b * batch, count}, network, optimizer, random);
      }
      if (epoch % 5 != 0 && epoch != options.epochs) continue;
      const double mape = validation_mape(*task.validation, network);
      if (best.empty() || mape < best_mape) {
        best_mape = mape;
        best = network.copy_layers();
      }
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
      report({epoch, options.epochs, loss / static_cast<double>(batches), mape, elapsed.count()});
    }
    return best;
  }

 private:
  // Returns the mean loss.
  static double train_batch(const TrainingTask& task, std::span<const std::size_t> pick, Network& network,
                            AdamW& optimizer, std::mt19937_64& random) {
    const FeatureMatrix& matrix = *task.training;
    const auto terms = static_cast<std::size_t>(matrix.term_count);
    const auto delta = static_cast<float>(task.options.huber_delta);
    std::bernoulli_distribution hides_device(task.options.device_dropout);
    std::vector<tiny_dnn::tensor_t> inputs;
    inputs.reserve(pick.size());
    for (const std::size_t row : pick) {
      inputs.push_back(features_of(matrix, row));
      if (!hides_device(random)) continue;
      std::copy(task.absent_device.begin(), task.absent_device.end(),
                inputs.back()[0].begin() + task.device_column);
    }
    const auto outputs = network.forward(inputs);
    std::vector<tiny_dnn::tensor_t> gradient(pick.size(), tiny_dnn::tensor_t(1, tiny_dnn::vec_t(terms)));
    std::vector<float> shares(terms);
    double loss = 0;
    for (std::size_t i = 0; i < pick.size(); ++i) {
      const std::size_t row = pick[i];
      const float residual =
          log_time(outputs[i][0], matrix.log_terms_ms.data() + row * terms, shares) - matrix.log_time_ms[row];
      const float size = std::abs(residual);
      const float huber = size < delta ? residual * residual * 0.5F / delta : size - 0.5F * delta;
      const float slope = std::clamp(residual / delta, -1.0F, 1.0F);
      loss += static_cast<double>(huber * matrix.weights[row]);
      for (std::size_t k = 0; k < terms; ++k) gradient[i][0][k] = slope * matrix.weights[row] * shares[k];
    }
    network.step(gradient, optimizer);
    return loss / static_cast<double>(pick.size());
  }

  static double validation_mape(const FeatureMatrix& matrix, Network& network) {
    constexpr std::size_t kBlock = 512;
    const auto terms = static_cast<std::size_t>(matrix.term_count);
    std::vector<float> shares(terms);
    double sum = 0;
    for (std::size_t first = 0; first < matrix.rows(); first += kBlock) {
      std::vector<tiny_dnn::tensor_t> inputs;
      for (std::size_t row = first; row < std::min(first + kBlock, matrix.rows()); ++row) {
        inputs.push_back(features_of(matrix, row));
      }
      const auto outputs = network.forward(inputs);
      for (std::size_t i = 0; i < outputs.size(); ++i) {
        const std::size_t row = first + i;
        const float log_ms = log_time(outputs[i][0], matrix.log_terms_ms.data() + row * terms, shares);
        sum += std::abs(std::expm1(static_cast<double>(log_ms - matrix.log_time_ms[row])));
      }
    }
    return sum / static_cast<double>(matrix.rows());
  }
};

}  // namespace

const Trainer& tiny_dnn_trainer() {
  static const TinyDnnTrainer kTrainer;
  return kTrainer;
}

}  // namespace layersim
