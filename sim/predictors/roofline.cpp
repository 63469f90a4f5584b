// Roofline (Williams et al. 2009): a kernel takes at least the time that its arithmetic needs at the peak
// rate or its memory traffic at the full bandwidth, whichever is longer. Nothing is learned. Algorithms that
// need fewer operations (Winograd's for 3x3 convolutions) beat the arithmetic part.

#include <algorithm>
#include <cstddef>

#include "sim/core/error.h"
#include "sim/features/roofline_time.h"
#include "sim/predictors/predictor.h"

namespace layersim {
namespace {

class Roofline final : public Predictor {
 public:
  [[nodiscard]] std::string_view name() const override { return "roofline"; }
  [[nodiscard]] std::string_view statement() const override {
    return "roofline: what the device sheet allows, not a forecast; measured batches take mostly 1 to 4 "
           "times "
           "as long, small ones up to 20 times, and a few convolutions are faster (Winograd)";
  }
  [[nodiscard]] bool is_trained() const override { return false; }

  void predict(std::span<const LayerQuery> queries, const Conditions& conditions,
               std::span<LayerPrediction> predictions) const override {
    if (queries.size() != predictions.size())
      throw internal_error("roofline: queries and predictions differ in number");
    for (std::size_t i = 0; i < queries.size(); ++i) {
      const RooflineTime time = roofline_time(queries[i], conditions);
      LayerPrediction& prediction = predictions[i];
      prediction = {};
      prediction.forward_ms = time.forward_ms;
      prediction.backward_ms = time.backward_data_ms + time.backward_weight_ms;
      prediction.optimizer_ms = time.optimizer_ms;
      if (queries[i].problem->kind != nullptr) {
        prediction.basis = Basis::roofline;
      } else if (queries[i].work->forward.bytes() > 0) {
        prediction.basis = Basis::estimated;
      }
    }
  }

  // Of host time the device sheet tells nothing.
  [[nodiscard]] StepOverhead step_overhead(const LayersTime&, const HostWork&,
                                           const Conditions&) const override {
    return {};
  }
  [[nodiscard]] std::string default_stack(const Device&) const override { return {}; }

  [[nodiscard]] std::vector<std::string> warnings(const Conditions& /*conditions*/) const override {
    return {"the roofline knows no host time: overhead is 0, and times have no interval"};
  }
};

}  // namespace

std::unique_ptr<Predictor> make_roofline(const std::filesystem::path& trained_file) {
  if (!trained_file.empty()) throw bad_use("the method roofline takes no predictor file");
  return std::make_unique<Roofline>();
}

}  // namespace layersim
