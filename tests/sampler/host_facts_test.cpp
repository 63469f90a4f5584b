#include "sampler/host_facts.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "tests/store/temporary_folder.h"

namespace layersim {
namespace {

// A machine of 64 GiB, 48 of them free, as the files under `folder` tell it.
class FakeMachine {
 public:
  FakeMachine() {
    write("proc/meminfo", "MemTotal:       67108864 kB\nMemFree: 1 kB\nMemAvailable:   50331648 kB\n");
    write("proc/cpuinfo", "processor\t: 0\nmodel name\t: Some CPU\nflags\t\t: avx2 fma\n\nprocessor\t: 1\n");
  }

  void write(const std::string& file, const std::string& text) {
    const std::filesystem::path path = folder_.file(file);
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }

  [[nodiscard]] HostFacts facts() const { return read_host_facts(folder_.file("")); }

  // Checks memory and what of it is free, in GiB.
  void check_memory(double memory_gib, double available_gib) const {
    CHECK(facts().memory_gib == Approx(memory_gib));
    CHECK(facts().available_gib == Approx(available_gib));
  }

 private:
  tests::TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("a machine without limits has all its memory") {
  FakeMachine machine;
  CHECK(machine.facts().cpu == "Some CPU");
  CHECK(machine.facts().simd_lanes == 8);
  machine.check_memory(64, 48);
  machine.write("proc/self/cgroup", "4:memory:/\n0::/\n");
  machine.check_memory(64, 48);
  machine.write("sys/fs/cgroup/memory.max", "max\n");
  machine.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  machine.check_memory(64, 48);
}

TEST_CASE("a container of cgroup version 2 has what the lowest limit around it leaves") {
  FakeMachine machine;
  machine.write("proc/self/cgroup", "0::/pod/box\n");
  machine.write("sys/fs/cgroup/pod/memory.max", "8589934592\n");
  machine.write("sys/fs/cgroup/pod/memory.current", "3221225472\n");
  machine.write("sys/fs/cgroup/pod/memory.stat", "anon 1\ninactive_file 1073741824\n");
  machine.check_memory(8, 6);
  machine.write("sys/fs/cgroup/pod/box/memory.max", "4294967296\n");
  machine.write("sys/fs/cgroup/pod/box/memory.current", "1073741824\n");
  machine.check_memory(4, 3);
  machine.write("sys/fs/cgroup/pod/memory.current", "8589934592\n");
  machine.check_memory(4, 1);  // the group around it is full
  // Seen from inside, where only the container's own folder is visible.
  FakeMachine inside;
  inside.write("proc/self/cgroup", "0::/\n");
  inside.write("sys/fs/cgroup/memory.max", "2147483648\n");
  inside.write("sys/fs/cgroup/memory.current", "0\n");
  inside.check_memory(2, 2);
}

TEST_CASE("a container of cgroup version 1 has what its limit leaves") {
  FakeMachine machine;
  machine.write("proc/self/cgroup", "9:name=systemd:/\n4:cpu,memory:/docker/0123\n0::/\n");
  machine.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "17179869184\n");
  machine.write("sys/fs/cgroup/memory/memory.usage_in_bytes", "2147483648\n");
  machine.write("sys/fs/cgroup/memory/memory.stat", "cache 1\ntotal_inactive_file 1073741824\n");
  machine.check_memory(16, 15);
}

TEST_CASE("a limit above what the machine has changes nothing") {
  FakeMachine machine;
  machine.write("proc/self/cgroup", "0::/\n");
  machine.write("sys/fs/cgroup/memory.max", "1099511627776\n");
  machine.write("sys/fs/cgroup/memory.current", "1073741824\n");
  machine.check_memory(64, 48);
}

TEST_CASE("the machine that this runs on has memory, and some of it is free") {
  const HostFacts facts = read_host_facts();
  CHECK(facts.memory_gib > 0.1);
  CHECK(facts.available_gib > 0);
  CHECK(facts.available_gib <= facts.memory_gib);
}

}  // namespace layersim
