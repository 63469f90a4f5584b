#pragma once
// Measured convolutions of a store, by their exact configuration: what `hybrid` takes instead of predicting.

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "layers/layer_kind.h"
#include "sim/features/conditions.h"
#include "sim/store/table.h"
#include "trainers/row_conversion.h"

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
  // Rows of a table of convolutions. They must have a column `mode`: `forward`, `backward_data`,
  // `backward_filter` or `backward` with `time_ms`, or `training` with `forward_ms` and `backward_ms`. A name
  // of a device that hwdb knows stands for its key. Rows that give no time are counted in `left_out`, also
  // those of other tables. Throws bad_input naming the row.
  void add(const Table& table);

  // Milliseconds of one execution: medians of the rows of that device and precision, of the same software
  // where there are some. Nothing where a pass was not measured. Where both gradients were measured together
  // and the step has one, it counts as half.
  [[nodiscard]] std::optional<double> find(const Problem& problem, const Conditions& conditions,
                                           const ConvPasses& passes) const;
  // Some pass of the configuration was measured on that device in that precision.
  [[nodiscard]] bool has_part(const Problem& problem, const Conditions& conditions) const;
  // Rows that gave times, and those that gave none by the reason ("of kind 'dense'").
  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] const std::map<std::string, std::size_t>& left_out() const { return left_out_; }
  // GPU and precision of the rows that gave times.
  [[nodiscard]] std::set<std::pair<std::string, Precision>> machines() const;

 private:
  enum class Part : unsigned char { forward, backward_data, backward_weight, backward };
  using Key = std::tuple<std::string, Precision, std::vector<std::int64_t>>;  // GPU, precision, sizes
  struct Times {
    std::map<std::string, std::array<std::vector<double>, 4>> by_stack;  // of each Part
  };
  [[nodiscard]] static std::optional<double> time_of(const std::array<std::vector<double>, 4>& parts,
                                                     Mode mode, const ConvPasses& passes);
  using PartTimes = std::vector<std::pair<Part, double>>;
  // Those that were measured.
  [[nodiscard]] static PartTimes part_times(const RowReader& reader, std::size_t row);
  // Returns why the row gives no time; the empty text when it does.
  [[nodiscard]] std::string add_row(const RowReader& reader, std::size_t row, const std::string& gpu);

  std::map<Key, Times> times_;
  std::size_t rows_ = 0;
  std::map<std::string, std::size_t> left_out_;
};

// All convolutions of a store or a CSV file of rows. `may_lack`: a file that is not there has none.
[[nodiscard]] ConvTimes read_conv_times(const std::string& file, bool may_lack);

}  // namespace layersim
