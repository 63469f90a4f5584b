#pragma once
// A predictor whose answers are known.

#include <string>
#include <vector>

#include "sim/predictors/predictor.h"

namespace layersim::tests {

// Every layer takes 1 ms forward and in training 3 ms backward, each step 1 ms of overhead.
class EvenPredictor : public Predictor {
 public:
  [[nodiscard]] std::string_view name() const override { return "even"; }
  [[nodiscard]] std::string_view statement() const override { return "every layer takes the same time"; }
  [[nodiscard]] bool is_trained() const override { return false; }
  void predict(std::span<const LayerQuery> queries, const Conditions& conditions,
               std::span<LayerPrediction> predictions) const override {
    for (std::size_t i = 0; i < queries.size(); ++i) {
      predictions[i].forward_ms = 1;
      predictions[i].backward_ms = conditions.mode == Mode::training ? 3 : 0;
      const double total_ms = predictions[i].total_ms();
      predictions[i].interval_ms = Interval{0.8 * total_ms, 1.2 * total_ms};
      predictions[i].basis = Basis::roofline;
    }
  }
  [[nodiscard]] std::string default_stack(const Device& /*device*/) const override { return {}; }
  [[nodiscard]] StepOverhead step_overhead(const LayersTime& /*layers*/, const HostWork& /*host*/,
                                           const Conditions& /*conditions*/) const override {
    return {.ms = 1, .batch_interval_ms = {}};
  }
  [[nodiscard]] std::vector<std::string> warnings(const Conditions& /*conditions*/) const override {
    return {};
  }
};

}  // namespace layersim::tests
