// Recurrent layers: a step of each sequence waits for the one before, so the time is steps x (launch, product
// with the recurrent weights, memory traffic). Weights that fit registers or cache are read once instead of
// at each step.

#include <algorithm>
#include <array>
#include <bit>

#include "sim/features/families/make_family.h"
#include "sim/features/families/problem_sizes.h"

namespace layersim {
namespace {

constexpr std::array<std::string_view, 4> kTerms{"step_launch", "flop", "weights", "state"};
constexpr double kLeastMs = 1e-5;  // of an update, for its logarithm

template <typename Sink>
void write_features(Sink& sink, const FeatureQuery& query, const DeviceNumbers& device, float* log_terms) {
  struct Places {
    ParameterPlace cell{"recurrent", "cell"}, batch{"recurrent", "batch"}, steps{"recurrent", "steps"},
        in_features{"recurrent", "in_features"}, hidden{"recurrent", "hidden"},
        directions{"recurrent", "directions"};
  };
  static const Places kPlaces;
  const Problem& problem = *query.layer.problem;
  const std::int64_t cell = kPlaces.cell.of(problem);
  const std::int64_t gate_count = cell == 0 ? 1 : cell == 1 ? 4 : 3;
  const std::int64_t batch_size = kPlaces.batch.of(problem);
  const std::int64_t hidden_size = kPlaces.hidden.of(problem);
  const double gates = static_cast<double>(gate_count);
  const double batch = static_cast<double>(batch_size);
  const double hidden = static_cast<double>(hidden_size);
  const double directions = static_cast<double>(kPlaces.directions.of(problem));
  const double steps = static_cast<double>(kPlaces.steps.of(problem)) * directions;
  const double flop = 2 * batch * hidden * hidden * gates;  // of the recurrent product of one step
  const double weight_bytes = device.element_bytes * gates * hidden * hidden;
  const double state_bytes = device.element_bytes * batch * hidden * (gates + 3) * 2;
  const double flop_ms = flop / device.matrix_flop_per_ms;
  const double weight_ms = weight_bytes / device.bytes_per_ms;
  const double state_ms = state_bytes / device.bytes_per_ms;
  // The gradient of the weights is one product over all steps.
  const bool weight_gradient = query.pass == Pass::backward_weight;
  const std::array<double, kTerms.size()> terms{0.01 * steps, flop_ms * steps,
                                                weight_gradient ? state_ms * steps : weight_ms * steps,
                                                state_ms * steps};
  const double roofline_ms = write_log_terms(terms, log_terms);

  sink.add("log_hidden", "1", safe_log(hidden));
  sink.add("log_batch", "1", safe_log(batch));
  sink.add("log_steps", "1", safe_log(steps));
  sink.add("log_gates", "1", safe_log(gates));
  sink.add("log_step_flop", "FLOP", safe_log(flop));
  sink.add("log_step_flop_time", "ms", safe_log(flop_ms));
  sink.add("log_step_weight_time", "ms", safe_log(weight_ms));
  sink.add("log_rows", "1", safe_log(batch * steps));
  sink.add("log_gate_width", "1", safe_log(gates * hidden));
  sink.add("log_roofline_time", "ms", safe_log(roofline_ms));
  sink.add("log_intensity", "FLOP/byte",
           safe_log(flop / (weight_bytes + 2 * device.element_bytes * batch * hidden)));
  sink.add("log_weights_to_l2", "1", limited(safe_log(weight_bytes / device.l2_bytes), -5, 5));
  sink.add("log_weights_to_registers", "1",
           limited(safe_log(weight_bytes / (device.multiprocessors * 256 * 1024)), -5, 5));
  sink.add("rnn", "flag", flag(cell == 0));
  sink.add("lstm", "flag", flag(cell == 1));
  sink.add("gru", "flag", flag(cell == 2));
  sink.add("bidirectional", "flag", flag(directions > 1));
  sink.add("is_training", "flag", flag(query.pass == Pass::training));
  sink.add("is_backward", "flag", flag(query.pass == Pass::backward));
  sink.add("is_backward_data", "flag", flag(query.pass == Pass::backward_data));
  sink.add("is_backward_weight", "flag", flag(weight_gradient));
  for (const int b : {1, 2, 4, 8, 16, 32, 64, 128})
    sink.add("batch_at_most_", b, "flag", flag(batch_size <= b));
  for (const int t : {32, 64, 128}) {
    sink.add("batch_fill_", t, "1", occupancy(batch_size, t));
    sink.add("hidden_fill_", t, "1", occupancy(hidden_size, t));
  }
  for (const int t : {64, 128}) {
    const std::int64_t count = tiles(batch_size, t) * tiles(gate_count * hidden_size, t);
    sink.add("wave_fill_", t, "1", occupancy(count, device.multiprocessor_count));
    sink.add("log_waves_", t, "1", safe_log(static_cast<double>(count) / device.multiprocessors));
  }
  const double in_features = static_cast<double>(kPlaces.in_features.of(problem));
  sink.add("log_in_features", "1", safe_log(in_features));
  sink.add("log_in_features_to_hidden", "1", safe_log(in_features / hidden));
  sink.add("log_input_flop_time", "ms", safe_log(flop_ms * in_features / hidden * steps));
  sink.add("log_update_time", "ms", limited(safe_log(update_ms(query, device) + kLeastMs), -12, 12));
}

bool covers(const Problem& problem) {
  static const LayerKind* const kKind = find_layer_kind("recurrent");
  return problem.kind == kKind;
}

}  // namespace

const FeatureFamily& feature_family_recurrent() {
  static const FeatureFamily kFamily =
      make_family("recurrent", "recurrent", kTerms, covers, [](auto&&... args) { write_features(args...); });
  return kFamily;
}

}  // namespace layersim
