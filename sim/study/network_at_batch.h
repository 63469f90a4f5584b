#pragma once
// A network of a study at one batch size: what no device changes is found once.

#include <optional>
#include <vector>

#include "sim/study/study.h"
#include "sim/timing/network_time.h"

namespace layersim {

class NetworkAtBatch {
 public:
  // Throws what decomposing throws.
  NetworkAtBatch(const StudyRequest& request, const Graph& graph, const Warnings& warnings,
                 std::int64_t batch);
  NetworkAtBatch(const NetworkAtBatch&) = delete;
  NetworkAtBatch& operator=(const NetworkAtBatch&) = delete;

  [[nodiscard]] const Network& network() const { return network_; }
  [[nodiscard]] std::int64_t batch() const { return batch_; }
  // Of a step, and of a validation pass where the study has one.
  [[nodiscard]] const NetworkQuestions& step() const { return *step_; }
  [[nodiscard]] const NetworkQuestions* validation() const { return validation_ ? &*validation_ : nullptr; }
  // Of a step on this device.
  [[nodiscard]] Conditions conditions(const Device& device, std::string_view stack) const;
  [[nodiscard]] Memory memory(const std::vector<double>& repeats, const Device& device) const;

 private:
  std::int64_t batch_;
  Network network_;
  Conditions conditions_;
  std::optional<NetworkQuestions> step_;
  std::optional<NetworkQuestions> validation_;
  std::vector<double> repeats_;
  std::optional<NetworkMemory> memory_;
};

// The conditions of a validation pass beside those of a step.
[[nodiscard]] Conditions forward_pass(Conditions conditions);

}  // namespace layersim
