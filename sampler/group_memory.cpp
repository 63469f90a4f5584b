#include "sampler/group_memory.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <string_view>

namespace layersim {
namespace {

namespace fs = std::filesystem;

constexpr double kGib = 1 << 30;
// Version 1 writes "no limit" as the largest multiple of the page size.
constexpr double kNoLimitBytes = 0x1p60;

// Where a version keeps its groups, and what it calls the three numbers.
struct Version {
  std::string_view controllers;  // second field of a line of /proc/self/cgroup
  std::string_view folder;
  std::string_view limit;
  std::string_view usage;
  std::string_view cached_files;  // key in memory.stat
};
constexpr std::array<Version, 2> kVersions = {
    Version{"", "sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"},
    Version{"memory", "sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
            "total_inactive_file"}};

// Nothing when there is no such file or when it holds no number ("max").
std::optional<double> read_bytes(const fs::path& file) {
  std::ifstream stream(file);
  double bytes = 0;
  if (!(stream >> bytes)) return std::nullopt;
  return bytes;
}

double read_stat(const fs::path& folder, std::string_view key) {
  std::ifstream stream(folder / "memory.stat");
  std::string name;
  for (double bytes = 0; stream >> name >> bytes;) {
    if (name == key) return bytes;
  }
  return 0;
}

// Of one group alone.
std::optional<GroupMemory> read_group(const fs::path& folder, const Version& version) {
  const auto limit = read_bytes(folder / version.limit);
  if (!limit || *limit >= kNoLimitBytes) return std::nullopt;
  const double usage = read_bytes(folder / version.usage).value_or(0);
  const double in_use = std::max(usage - read_stat(folder, version.cached_files), 0.0);
  return GroupMemory{*limit / kGib, std::max(*limit - in_use, 0.0) / kGib};
}

void take_lower(std::optional<GroupMemory>& lowest, const std::optional<GroupMemory>& other) {
  if (!lowest || !other) {
    if (other) lowest = other;
    return;
  }
  lowest->limit_gib = std::min(lowest->limit_gib, other->limit_gib);
  lowest->available_gib = std::min(lowest->available_gib, other->available_gib);
}

// "/a/b" of the groups under `folder`, then "/a", then "/". Inside a container only the last may be visible.
std::optional<GroupMemory> read_groups(const fs::path& folder, fs::path group, const Version& version) {
  std::optional<GroupMemory> lowest = read_group(folder, version);
  for (group = group.relative_path(); !group.empty(); group = group.parent_path()) {
    take_lower(lowest, read_group(folder / group, version));
  }
  return lowest;
}

bool holds(std::string_view list, std::string_view name) {
  if (name.empty()) return list.empty();
  std::string padded = ",";
  padded.append(list).append(",");
  return padded.find("," + std::string(name) + ",") != std::string::npos;
}

}  // namespace

std::optional<GroupMemory> read_group_memory(const fs::path& root) {
  std::optional<GroupMemory> lowest;
  std::ifstream stream(root / "proc/self/cgroup");
  // "4:cpu,memory:/docker/0123"; version 2 has "0::/user.slice".
  for (std::string line; std::getline(stream, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string_view controllers = std::string_view(line).substr(first + 1, second - first - 1);
    for (const Version& version : kVersions) {
      if (!holds(controllers, version.controllers)) continue;
      take_lower(lowest, read_groups(root / version.folder, line.substr(second + 1), version));
    }
  }
  return lowest;
}

}  // namespace layersim
