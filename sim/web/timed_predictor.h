#pragma once
// A predictor that stops answering when the time is over: so a request cannot compute for ever.

#include <chrono>

#include "sim/predictors/predictor.h"

namespace layersim {

// A request took longer than it may.
struct OutOfTime {};

class TimedPredictor : public Predictor {
 public:
  using Clock = std::chrono::steady_clock;
  // `inner` must stay.
  TimedPredictor(const Predictor& inner, Clock::time_point end) : inner_(inner), end_(end) {}

  // Throws OutOfTime when the time is over.
  void check() const;

  [[nodiscard]] std::string_view name() const override { return inner_.name(); }
  [[nodiscard]] std::string_view statement() const override { return inner_.statement(); }
  [[nodiscard]] bool is_trained() const override { return inner_.is_trained(); }
  void predict(std::span<const LayerQuery> queries, const Conditions& conditions,
               std::span<LayerPrediction> predictions) const override;
  [[nodiscard]] std::string default_stack(const Device& device) const override {
    return inner_.default_stack(device);
  }
  [[nodiscard]] std::vector<std::string> known_stacks() const override { return inner_.known_stacks(); }
  [[nodiscard]] StepOverhead step_overhead(const LayersTime& layers, const HostWork& host,
                                           const Conditions& conditions) const override {
    return inner_.step_overhead(layers, host, conditions);
  }
  [[nodiscard]] std::vector<std::string> warnings(const Conditions& conditions) const override {
    return inner_.warnings(conditions);
  }

 private:
  const Predictor& inner_;
  Clock::time_point end_;
};

}  // namespace layersim
