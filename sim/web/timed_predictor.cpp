#include "sim/web/timed_predictor.h"

namespace layersim {

void TimedPredictor::check() const {
  if (Clock::now() > end_) throw OutOfTime{};
}

void TimedPredictor::predict(std::span<const LayerQuery> queries, const Conditions& conditions,
                             std::span<LayerPrediction> predictions) const {
  check();
  inner_.predict(queries, conditions, predictions);
}

}  // namespace layersim
