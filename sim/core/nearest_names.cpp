#include "sim/core/nearest_names.h"

#include <algorithm>
#include <utility>

namespace layersim {
namespace {

constexpr std::size_t kLongestName = 100;  // bounds the work for hostile input

bool is_far(std::size_t distance, std::size_t name, std::size_t candidate) {
  constexpr std::size_t kSlips = 2;  // also in a short name
  return distance >= name || (distance > kSlips && 2 * distance > std::max(name, candidate));
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  a = a.substr(0, kLongestName);
  b = b.substr(0, kLongestName);
  std::vector<std::size_t> before_previous(b.size() + 1);
  std::vector<std::size_t> previous(b.size() + 1);
  std::vector<std::size_t> current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({substituted, previous[j] + 1, current[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        current[j] = std::min(current[j], before_previous[j - 2] + 1);
      }
    }
    std::swap(before_previous, previous);
    std::swap(previous, current);
  }
  return previous[b.size()];
}

std::vector<std::string> nearest_names(std::string_view name, std::span<const std::string> candidates,
                                       std::size_t count) {
  std::vector<std::pair<std::size_t, std::string>> ranked;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    const bool begins = !name.empty() && std::string_view(candidate).substr(0, name.size()) == name;
    if (!begins && is_far(distance, std::min(name.size(), kLongestName), candidate.size())) continue;
    ranked.emplace_back(begins ? 0 : distance, candidate);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::string> nearest;
  for (std::size_t i = 0; i < std::min(count, ranked.size()); ++i)
    nearest.push_back(std::move(ranked[i].second));
  return nearest;
}

std::string suggest(std::string_view before, const std::vector<std::string>& near) {
  std::string text;
  for (std::size_t i = 0; i < near.size(); ++i) {
    text += i == 0 ? before : i + 1 == near.size() ? " or " : ", ";
    text += near[i];
  }
  return text;
}

}  // namespace layersim
