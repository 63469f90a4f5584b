#pragma once
// A data parallel training step as a Chakra execution trace, which network simulators such as ASTRA-sim
// replay on a network of their own: computing with its predicted times, and the sums of gradients with their
// sizes. (Sridharan et al. 2023, Chakra: Advancing performance benchmarking and co-design using standardized
// execution traces.)

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "sim/report/report.h"

namespace layersim {

// The trace of one GPU; all have the same. Each layer is a node forward, one backward and one of the update,
// each bucket of gradients an all-reduce between. Throws bad_use for a run that is not data parallel training
// with ddp.
[[nodiscard]] std::string to_chakra(const Report& report);

// Writes PREFIX.0.et, PREFIX.1.et ..., one for each GPU, as ASTRA-sim looks for them.
void write_chakra(const Report& report, const std::string& prefix);

// What a trace says, to check it.
struct ChakraNode {
  std::uint64_t id = 0;
  std::string name;
  bool is_collective = false;
  std::vector<std::uint64_t> dependencies;
  std::uint64_t duration_us = 0;
  std::int64_t bytes = 0;  // of a collective
};
// Throws bad_input for bytes that are no trace.
[[nodiscard]] std::vector<ChakraNode> read_chakra(const std::string& trace);

}  // namespace layersim
