#pragma once
// The memory that the control group (cgroup) of this process may use: what a container's limit leaves of the
// machine. Linux, versions 1 and 2 (kernel documentation, admin-guide/cgroup-v1/memory.rst, cgroup-v2.rst).

#include <filesystem>
#include <optional>

namespace layersim {

struct GroupMemory {
  double limit_gib = 0;      // of the group or of one around it, whichever is lowest
  double available_gib = 0;  // now: files in the cache, which the kernel drops when asked, count as free
};

// Nothing where no group has a limit. `root` stands for the folder "/".
[[nodiscard]] std::optional<GroupMemory> read_group_memory(const std::filesystem::path& root = "/");

}  // namespace layersim
