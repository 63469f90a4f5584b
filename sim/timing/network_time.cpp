#include "sim/timing/network_time.h"

#include "sim/features/distinct_queries.h"
#include "sim/features/network_queries.h"
#include "sim/timing/host_work.h"
#include "sim/timing/repeats.h"

namespace layersim {

NetworkTime network_time(const Network& network, const Conditions& conditions, const Predictor& predictor,
                         Warnings& warnings) {
  const std::vector<LayerQuery> queries = make_queries(network);
  const DistinctQueries distinct = distinct_queries(queries);
  std::vector<LayerPrediction> predictions(distinct.queries.size());
  predictor.predict(distinct.queries, conditions, predictions);
  NetworkTime time;
  time.layers.reserve(distinct.place.size());
  for (const std::size_t place : distinct.place) time.layers.push_back(predictions[place]);
  for (std::size_t i = 0; i < time.layers.size(); ++i) {
    const bool runs_backward = queries[i].needs_input_gradient || queries[i].needs_weight_gradient;
    if (!runs_backward) leave_out_backward(time.layers[i]);
  }
  time.repeats = layer_repeats(network, time.layers, warnings);
  for (std::size_t i = 0; i < time.layers.size(); ++i) {
    time.layers[i] = repeated(time.layers[i], time.repeats[i]);
  }
  double layers_ms = 0;
  for (const LayerPrediction& layer : time.layers) layers_ms += layer.total_ms();
  time.step = add_up(time.layers, predictor.step_overhead(
                                      layers_ms, host_work(network, time.repeats, conditions), conditions));
  return time;
}

}  // namespace layersim
