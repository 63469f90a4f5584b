#include "sim/timing/network_time.h"

#include "sim/features/network_queries.h"
#include "sim/timing/repeats.h"
#include "sim/timing/time_warnings.h"

namespace layersim {
NetworkTime network_time(const Network& network, const Conditions& conditions, const Predictor& predictor,
                         Warnings& warnings) {
  const NetworkQuestions asked(network, conditions);
  std::vector<LayerPrediction> answers(asked.questions().size());
  predictor.predict(asked.questions(), conditions, answers);
  return asked.time(answers, conditions, predictor, warnings);
}

NetworkQuestions::NetworkQuestions(const Network& network, const Conditions& conditions)
    : network_(network),
      queries_(make_queries(network)),
      distinct_(distinct_queries(queries_)),
      host_(network, queries_, conditions) {}

NetworkTime NetworkQuestions::time(std::span<const LayerPrediction> answers, const Conditions& conditions,
                                   const Predictor& predictor, Warnings& warnings) const {
  NetworkTime time;
  time.layers.reserve(distinct_.place.size());
  for (const std::size_t place : distinct_.place) time.layers.push_back(answers[place]);
  for (std::size_t i = 0; i < time.layers.size(); ++i) {
    const bool runs_backward = queries_[i].needs_input_gradient || queries_[i].needs_weight_gradient;
    if (!runs_backward) leave_out_backward(time.layers[i]);
  }
  warn_of_estimates(queries_, time.layers, warnings);
  warn_of_precision(queries_, conditions, warnings);
  time.repeats = layer_repeats(network_, time.layers, warnings);
  LayersTime layers;
  for (std::size_t i = 0; i < time.layers.size(); ++i) {
    time.layers[i] = repeated(time.layers[i], time.repeats[i]);
    const double ms = time.layers[i].total_ms();
    layers.ms += ms;
    if (!time.layers[i].inside_trained_range) layers.outside_ms += ms;
    if (time.layers[i].is_new_to_stack) layers.new_to_stack_ms += ms;
    if (time.layers[i].has_new_weights) layers.new_weights_ms += ms;
  }
  time.step = add_up(time.layers, predictor.step_overhead(layers, host_.total(time.repeats), conditions));
  return time;
}

}  // namespace layersim
