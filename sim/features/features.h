#pragma once
// Layer + conditions -> numbers: everything that may tell how long a layer takes, as one row of floats. The
// columns are those of the kind: its parameters, its work per pass, how the work divides among the device's
// units, and the conditions. Names are for people and for picking columns; writing a row touches none.
//
// Conventions: "log_x" is ln(x), and ln(1 + x) for counts, which may be 0; "x=a" is 1 where x is a, else 0.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/features/conditions.h"
#include "sim/features/layer_query.h"

namespace layersim {

struct Feature {
  std::string name;
  std::string unit;  // of the number before a logarithm; "1" for ratios, flags and counts
};

// The columns of one kind.
class FeatureColumns {
 public:
  explicit FeatureColumns(const LayerKind& kind);

  [[nodiscard]] const LayerKind& kind() const { return kind_; }
  [[nodiscard]] const std::vector<Feature>& all() const { return all_; }
  [[nodiscard]] std::size_t size() const { return all_.size(); }
  [[nodiscard]] std::optional<std::size_t> index(std::string_view name) const;

 private:
  const LayerKind& kind_;
  std::vector<Feature> all_;
};

// Where a kind has the sizes of the matrix product that its layers amount to.
struct ProductSizes {
  std::optional<std::size_t> columns;  // parameter that counts output columns or channels
  std::optional<std::size_t> batches;  // independent products: groups, or the batch of a batched product
  bool groups_share_columns = false;   // the output channels are divided among the groups
};

// Writes rows of one kind under one set of conditions, which must stay.
class FeatureWriter {
 public:
  FeatureWriter(const FeatureColumns& columns, const Conditions& conditions);

  // `query.problem` is of the columns' kind; `row` has columns.size() places. About half a microsecond.
  void write(const LayerQuery& query, std::span<float> row) const;

 private:
  std::size_t size_;
  const Conditions& conditions_;
  ProductSizes product_sizes_;
  std::vector<float> condition_part_;  // the last columns: the same in all rows
};

}  // namespace layersim
