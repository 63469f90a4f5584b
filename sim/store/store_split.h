#pragma once
// A store divided into rows for training and rows for testing.

#include <cstdint>
#include <string>
#include <vector>

namespace layersim {

enum class SplitBy : unsigned char {
  configuration,  // all columns but where it was measured and the result: one configuration, on however many
                  // GPUs, is on one side
  gpu,
  network,  // columns `model` or `network`; kinds without them go to training
};

struct SplitOptions {
  SplitBy by = SplitBy::configuration;
  double test_share = 0.2;                // of the configurations, or of the names when `test_names` is empty
  std::vector<std::string> test_names{};  // GPUs or networks to be tested on
  std::uint64_t seed = 1;
};

struct SplitKind {
  std::string kind;
  std::size_t train_rows = 0;
  std::size_t test_rows = 0;
};

struct Split {
  std::vector<SplitKind> kinds;
  std::vector<std::string> test_names;  // that were drawn or given; empty when split by configuration
};

// The same options give the same sides for the same rows, whatever other rows the store has (by
// configuration). Throws bad_use when a name is not in the store or when one side would be empty.
Split split_store(const std::string& input, const SplitOptions& options, const std::string& train,
                  const std::string& test);

}  // namespace layersim
