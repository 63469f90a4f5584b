#pragma once
// Names in clusters: hierarchical with average linkage over their edit distance, relative to the longer name;
// clusters farther apart than kFarthest are not joined.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace layersim {

class NameClusters {
 public:
  static constexpr double kFarthest = 0.4;

  explicit NameClusters(std::vector<std::string> names);

  // Indices of the names, cluster by cluster.
  [[nodiscard]] const std::vector<std::vector<std::size_t>>& clusters() const { return clusters_; }
  // A name joins the cluster with the least mean distance, if that is at most kFarthest: the nearest member
  // of it.
  [[nodiscard]] std::optional<std::size_t> nearest_member(std::string_view name) const;

 private:
  std::vector<std::string> names_;
  std::vector<std::vector<std::size_t>> clusters_;
};

// 0: the same; 1: nothing in common.
[[nodiscard]] double name_distance(std::string_view a, std::string_view b);

}  // namespace layersim
