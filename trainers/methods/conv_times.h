#pragma once
// Measured convolutions of a store, by their exact configuration: what `hybrid` takes instead of predicting.

#include <array>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "layers/layer_kind.h"
#include "sim/features/conditions.h"
#include "sim/store/table.h"

namespace layersim {

// Which passes of a convolution a step has.
struct ConvPasses {
  bool input_gradient = false;
  bool weight_gradient = false;
};

// A configuration: sizes, groups, padding and dilation; a bias does not count, nor does an activation, which
// rows must not have.
class ConvTimes {
 public:
  // Rows of a table of convolutions (others: nothing happens). They must have a column `mode`: `forward`,
  // `backward_data`, `backward_filter` or `backward` with `time_ms`, or `training` with `forward_ms` and
  // `backward_ms`. Throws bad_input naming the row.
  void add(const Table& table);

  // Milliseconds of one execution: medians of the rows of that device and precision, of the same software
  // where there are some. Nothing where a pass was not measured. Where both gradients were measured together
  // and the step has one, it counts as half.
  [[nodiscard]] std::optional<double> find(const Problem& problem, const Conditions& conditions,
                                           const ConvPasses& passes) const;
  [[nodiscard]] std::size_t rows() const { return rows_; }

 private:
  enum class Part : unsigned char { forward, backward_data, backward_weight, backward };
  using Key = std::tuple<std::string, Precision, std::vector<std::int64_t>>;  // GPU, precision, sizes
  struct Times {
    std::map<std::string, std::array<std::vector<double>, 4>> by_stack;  // of each Part
  };
  [[nodiscard]] static std::optional<double> time_of(const std::array<std::vector<double>, 4>& parts,
                                                     Mode mode, const ConvPasses& passes);
  void add_time(const Key& key, const std::string& stack, Part part, double time_ms);

  std::map<Key, Times> times_;
  std::size_t rows_ = 0;
};

// All convolutions of a store or a CSV file of rows. `may_lack`: a file that is not there has none.
[[nodiscard]] ConvTimes read_conv_times(const std::string& file, bool may_lack);

}  // namespace layersim
