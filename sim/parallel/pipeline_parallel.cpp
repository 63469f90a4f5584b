#include "sim/parallel/pipeline_parallel.h"

#include <algorithm>

#include "sim/core/error.h"

namespace layersim {
namespace {

double output_bytes(const Network& network, const Layer& layer) {
  if (layer.outputs.empty() || layer.outputs.front() == kNoValue) return 0;
  const Tensor& tensor = network.graph.value(layer.outputs.front()).tensor;
  if (!tensor.shape || !is_known(*tensor.shape)) return 0;
  return static_cast<double>(element_count(*tensor.shape)) * bytes(tensor.dtype);
}

double pass_ms(const LayerPrediction& layer) { return layer.forward_ms + layer.backward_ms; }

// First layers of the stages when none may take longer than `limit_ms`; as many as it needs.
std::vector<std::size_t> cuts_within(std::span<const LayerPrediction> layers, double limit_ms) {
  std::vector<std::size_t> cuts{0};
  double stage_ms = 0;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (stage_ms + pass_ms(layers[i]) > limit_ms && i > cuts.back()) {
      cuts.push_back(i);
      stage_ms = 0;
    }
    stage_ms += pass_ms(layers[i]);
  }
  return cuts;
}

// By halving the span in which the least limit lies that needs no more than `stages`.
std::vector<std::size_t> best_cuts(std::span<const LayerPrediction> layers, std::size_t stages) {
  double low_ms = 0;
  double high_ms = 0;
  for (const LayerPrediction& layer : layers) {
    low_ms = std::max(low_ms, pass_ms(layer));
    high_ms += pass_ms(layer);
  }
  for (int step = 0; step < 50; ++step) {
    const double middle_ms = (low_ms + high_ms) / 2;
    (cuts_within(layers, middle_ms).size() <= stages ? high_ms : low_ms) = middle_ms;
  }
  std::vector<std::size_t> cuts = cuts_within(layers, high_ms);
  // A device more than the limit needs takes a layer of its own from the end.
  for (std::size_t last = layers.size() - 1; cuts.size() < stages; --last) {
    if (std::find(cuts.begin(), cuts.end(), last) == cuts.end()) cuts.push_back(last);
  }
  std::sort(cuts.begin(), cuts.end());
  return cuts;
}

}  // namespace

std::vector<PipelineStage> cut_into_stages(const Network& network, const NetworkTime& time, int stages) {
  const std::size_t layers = time.layers.size();
  if (layers < static_cast<std::size_t>(stages)) {
    throw bad_use(std::to_string(layers) + " layers cannot be cut into " + std::to_string(stages) +
                  " stages");
  }
  std::vector<PipelineStage> result;
  std::vector<std::size_t> cuts = best_cuts(time.layers, static_cast<std::size_t>(stages));
  cuts.push_back(layers);
  for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
    PipelineStage& stage = result.emplace_back();
    stage.first_layer = cuts[k];
    for (std::size_t i = cuts[k]; i < cuts[k + 1]; ++i) {
      stage.forward_ms += time.layers[i].forward_ms;
      stage.backward_ms += time.layers[i].backward_ms;
      stage.optimizer_ms += time.layers[i].optimizer_ms;
      stage.params += network.layers[i].params;
    }
    if (cuts[k + 1] < layers) stage.sent_bytes = output_bytes(network, network.layers[cuts[k + 1] - 1]);
  }
  return result;
}

PipelineTime pipeline_time(std::span<const PipelineStage> stages, bool training, const Cluster& cluster) {
  PipelineTime time;
  double all_ms = 0;
  for (std::size_t k = 0; k < stages.size(); ++k) {
    all_ms += stages[k].pass_ms();
    if (k == 0 || stages[k].pass_ms() > time.slowest.pass_ms()) time.slowest = stages[k];
    if (k + 1 == stages.size()) continue;
    const double sent_ms = send_to_next_ms(cluster, static_cast<int>(k), stages[k].sent_bytes);
    time.communication_ms += (training ? 2 : 1) * sent_ms;
  }
  time.bubble_ms = all_ms - time.slowest.pass_ms();
  return time;
}

}  // namespace layersim
