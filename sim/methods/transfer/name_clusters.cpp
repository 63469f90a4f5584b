#include "sim/methods/transfer/name_clusters.h"

#include <algorithm>
#include <utility>

#include "sim/core/nearest_names.h"

namespace layersim {

double name_distance(std::string_view a, std::string_view b) {
  const std::size_t longer = std::max(a.size(), b.size());
  return longer == 0 ? 0 : static_cast<double>(edit_distance(a, b)) / static_cast<double>(longer);
}

NameClusters::NameClusters(std::vector<std::string> names) : names_(std::move(names)) {
  const std::size_t count = names_.size();
  // Mean distance of any two clusters, kept up to date as they are joined (Lance and Williams).
  std::vector<std::vector<double>> distance(count, std::vector<double>(count, 0));
  for (std::size_t i = 0; i < count; ++i) {
    clusters_.push_back({i});
    for (std::size_t j = 0; j < i; ++j) distance[i][j] = distance[j][i] = name_distance(names_[i], names_[j]);
  }
  while (true) {
    std::size_t first = 0;
    std::size_t second = 0;
    double least = kFarthest;
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < i && !clusters_[i].empty(); ++j) {
        if (clusters_[j].empty() || distance[i][j] > least || (distance[i][j] == least && second != first))
          continue;
        least = distance[i][j];
        first = j;
        second = i;
      }
    }
    if (first == second) break;
    const auto own = static_cast<double>(clusters_[first].size());
    const auto joined = static_cast<double>(clusters_[second].size());
    for (std::size_t k = 0; k < count; ++k) {
      distance[first][k] = (own * distance[first][k] + joined * distance[second][k]) / (own + joined);
      distance[k][first] = distance[first][k];
    }
    clusters_[first].insert(clusters_[first].end(), clusters_[second].begin(), clusters_[second].end());
    clusters_[second].clear();
  }
  std::erase_if(clusters_, [](const auto& cluster) { return cluster.empty(); });
}

std::optional<std::size_t> NameClusters::nearest_member(std::string_view name) const {
  std::optional<std::size_t> nearest;
  double least = kFarthest;
  for (const auto& cluster : clusters_) {
    double sum = 0;
    std::pair<double, std::size_t> member{2, 0};
    for (const std::size_t i : cluster) {
      const double distance = name_distance(name, names_[i]);
      sum += distance;
      member = std::min(member, {distance, i});
    }
    const double mean = sum / static_cast<double>(cluster.size());
    if (mean > least || (nearest && mean == least)) continue;
    least = mean;
    nearest = member.second;
  }
  return nearest;
}

}  // namespace layersim
