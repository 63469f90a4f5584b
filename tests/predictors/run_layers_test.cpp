#include "sim/predictors/run_layers.h"

#include <catch2/catch.hpp>
#include <limits>

#include "hwdb/device_db.h"
#include "sim/features/device_numbers.h"

using namespace layersim;

namespace {

// A network for streams that takes e^log_factor times what each term says.
RunModel model_of_streams(float log_factor) {
  const FeatureFamily& family = *find_feature_family("streaming");
  TrainedNetwork network;
  network.family = family.name;
  network.device_view = DeviceView::full;
  const std::size_t inputs = family.features.size() + device_feature_specs().size();
  network.mean.assign(inputs, 0.0F);
  network.scale.assign(inputs, 1.0F);
  network.low.assign(family.features.size(), -std::numeric_limits<float>::max());
  network.high.assign(family.features.size(), std::numeric_limits<float>::max());
  DenseLayer layer;
  layer.inputs = static_cast<int>(inputs);
  layer.outputs = static_cast<int>(family.terms.size());
  layer.weights.assign(inputs * family.terms.size(), 0.0F);
  layer.bias.assign(family.terms.size(), log_factor);
  network.members = {{layer}};
  RunModel model;
  model.networks = {network};
  return model;
}

LayerPrediction predicted(const RunModel& model, std::string_view stack, Problem problem) {
  const Device k80 = DeviceDb().find("k80");
  const LayerWork work = problem.kind->work(problem);
  const LayerQuery query{
      .problem = &problem, .work = &work, .needs_input_gradient = true, .needs_weight_gradient = false};
  LayerPrediction prediction;
  predict_run_layers(model, {&query, 1}, {.device = &k80, .optimizer = Optimizer::none, .stack = stack},
                     [](const FeatureFamily&, std::span<const FeatureQuery> parts, const Conditions&) {
                       return std::vector<double>(parts.size(), 0.0);
                     },
                     {&prediction, 1});
  return prediction;
}

Problem pad(std::int64_t elements) {
  return make_problem(*find_layer_kind("data_movement"), DType::f32,
                      {{"elements_read", elements}, {"elements_written", elements}, {"function", 1}});
}

}  // namespace

TEST_CASE("run layers: streams stay within factors of their traffic, or short") {
  constexpr std::int64_t kLarge = 1'000'000'000;
  const double sheet_ms = predicted(model_of_streams(0), "tf2.5", pad(kLarge)).forward_ms;
  CHECK(predicted(model_of_streams(1), "tf2.5", pad(kLarge)).forward_ms ==
        Approx(2.718 * sheet_ms).epsilon(0.01));
  CHECK(predicted(model_of_streams(6), "tf2.5", pad(kLarge)).forward_ms ==
        Approx(10 * sheet_ms).epsilon(0.01));
  CHECK(predicted(model_of_streams(-6), "tf2.5", pad(kLarge)).forward_ms ==
        Approx(0.5 * sheet_ms).epsilon(0.01));
  // What the gaps between kernels add is in both.
  const LayerPrediction small = predicted(model_of_streams(12), "tf2.5", pad(1000));
  const LayerPrediction none = predicted(model_of_streams(-12), "tf2.5", pad(1));
  CHECK(small.forward_ms - none.forward_ms == Approx(0.05).epsilon(0.01));
  CHECK(small.backward_ms - none.backward_ms == Approx(1).epsilon(0.01));
}

TEST_CASE("run layers: a view is known to take nothing") {
  const Problem slice = make_problem(*find_layer_kind("data_movement"), DType::f32,
                                     {{"elements_read", 1000}, {"elements_written", 1000}, {"function", 2}});
  const LayerPrediction view = predicted(model_of_streams(0), "pytorch2.1", slice);
  CHECK(view.forward_ms == 0);
  CHECK(view.backward_ms > 0);
  CHECK(view.basis == Basis::trained);
  CHECK(predicted(model_of_streams(0), "tf2.5", slice).forward_ms > 0);
}
