#pragma once
// What the sampler draws from: for each layer kind one or more entries with ranges for its parameters. A
// sweep is a file in configs/sweeps; what an entry does not mention is drawn as the kind itself declares it.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "layers/layer_kind.h"
#include "sim/features/conditions.h"

namespace layersim {

// Of a parameter; products of two of them fit into 64 bits.
inline constexpr std::int64_t kLargestSize = std::int64_t{1} << 31;

// How one parameter of an entry gets its number.
struct ParameterRange {
  Draw draw = Draw::fixed;  // choice: one of `values`
  std::int64_t low = 1;     // inclusive, as is high
  std::int64_t high = 1;
  std::int64_t multiple_of = 1;        // of a uniform or log-uniform draw, which is rounded down to it
  std::vector<std::int64_t> values{};  // of a choice
  int equal_to = -1;  // index of another parameter, whose number times `times`, and `plus`, it has
  std::int64_t times = 1;
  std::int64_t plus = 0;
};

struct SweepEntry {
  const LayerKind* kind = nullptr;
  double weight = 1;                    // of the draws within its kind
  std::vector<ParameterRange> ranges;   // parallel to kind->parameters
  std::vector<Activation> activations;  // equally likely; one at least
  bool input_gradient = true;           // of training steps, see SampleProblem
};

struct Sweep {
  std::string name;
  std::string source;                 // whose ranges these are
  double forward_share = 0.5;         // of the problems; the others are training steps
  double max_memory_mib = 0;          // see memory_mib(SampleProblem)
  double max_gflop = 0;               // of one step
  std::vector<Optimizer> optimizers;  // of training steps, equally likely, as are
  std::vector<Precision> precisions;
  std::vector<SweepEntry> entries;
};

// Throws bad_input naming file and key for all that is unknown, missing, out of range or contradictory.
[[nodiscard]] Sweep read_sweep_file(const std::filesystem::path& path);
// The same from text; `name` stands before every error.
[[nodiscard]] Sweep read_sweep_text(const std::string& name, std::string_view text);

// configs/sweeps/<name>.json for a name without a folder and ending, else the file itself.
[[nodiscard]] std::filesystem::path find_sweep_file(const std::string& name_or_file);

// Only entries of these kinds; empty: all. Throws bad_use for a kind that the sweep does not have.
void keep_kinds(Sweep& sweep, const std::vector<std::string>& kinds);

}  // namespace layersim
