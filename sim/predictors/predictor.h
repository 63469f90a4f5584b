#pragma once
// Numbers -> time. A predictor answers for many layers at once: under the same conditions, how long each
// takes forward, backward and in the optimizer's update. The implementations stand beside this file, one a
// file, and are listed in CMakeLists.txt, the best first: it is the default.

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/features/conditions.h"
#include "sim/features/layer_query.h"
#include "sim/predictors/run_model.h"

namespace layersim {

// Where a time comes from.
enum class Basis : unsigned char {
  none,       // nothing is known of the layer, not even its bytes
  roofline,   // of the device sheet: its peak rate or full bandwidth
  estimated,  // physical estimate for a kind that no measured rows cover
  trained,    // learned from measured rows of this kind
};
[[nodiscard]] std::string_view name(Basis basis);

// A range that holds the measured value in 90 % of cases.
struct Interval {
  double low = 0;
  double high = 0;
};

// One execution of a layer. Backward covers the gradients of inputs and weights; it and the update are 0 in
// forward mode.
struct LayerPrediction {
  double forward_ms = 0;
  double backward_ms = 0;
  double optimizer_ms = 0;
  std::optional<Interval> interval_ms;  // of the sum of the three
  bool inside_trained_range = false;
  bool is_new_to_stack = false;  // no run with this software has layers of the family
  bool has_new_weights = false;  // of sizes that no run on this device has (novelty.h)
  Basis basis = Basis::none;

  [[nodiscard]] double total_ms() const { return forward_ms + backward_ms + optimizer_ms; }
};

struct StepOverhead {
  double ms = 0;
  // Of the whole batch; nothing where only the layers have intervals.
  std::optional<Interval> batch_interval_ms;
};

// All questions may be put by several threads at once.
class Predictor {
 public:
  virtual ~Predictor() = default;
  Predictor(const Predictor&) = delete;
  Predictor& operator=(const Predictor&) = delete;

  [[nodiscard]] virtual std::string_view name() const = 0;
  // One sentence for the output: what the numbers are, and what they are not.
  [[nodiscard]] virtual std::string_view statement() const = 0;
  // Whether measured rows stand behind it: if so, layers are told inside or outside the trained range.
  [[nodiscard]] virtual bool is_trained() const = 0;

  // predictions[i] answers queries[i]; both have the same size.
  virtual void predict(std::span<const LayerQuery> queries, const Conditions& conditions,
                       std::span<LayerPrediction> predictions) const = 0;

  // The software that times are for when none is asked for: the newest that is known well for the device.
  // Empty: none in particular.
  [[nodiscard]] virtual std::string default_stack(const Device& device) const = 0;

  // Software whose times it tells apart; empty: none.
  [[nodiscard]] virtual std::vector<std::string> known_stacks() const { return {}; }

  // What of a batch no layer accounts for.
  [[nodiscard]] virtual StepOverhead step_overhead(const LayersTime& layers, const HostWork& host,
                                                   const Conditions& conditions) const = 0;

  // What the user must know about these conditions ("the k80 has no bf16 arithmetic ..."), one sentence each.
  [[nodiscard]] virtual std::vector<std::string> warnings(const Conditions& conditions) const = 0;

 protected:
  Predictor() = default;
};

// Throws bad_use for a stack that the predictor does not tell apart from others; none in particular is fine.
void check_stack(const Predictor& predictor, const std::string& stack);

struct PredictorMethod {
  std::string_view name;  // for --method
  // `trained_file`: empty for the one that comes along. Throws bad_use where the method takes none.
  std::unique_ptr<Predictor> (*make)(const std::filesystem::path& trained_file);
};
// In the order of the list.
[[nodiscard]] std::span<const PredictorMethod> predictor_methods();
// The empty name: the first of the list. Throws bad_use with the names when there is none of that name.
[[nodiscard]] std::unique_ptr<Predictor> make_predictor(std::string_view method,
                                                        const std::filesystem::path& trained_file = {});

}  // namespace layersim
