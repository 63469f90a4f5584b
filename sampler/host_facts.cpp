#include "sampler/host_facts.h"

#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>

#include "sampler/group_memory.h"

namespace layersim {
namespace {

namespace fs = std::filesystem;

// Of the first processor: "model name" -> "AMD EPYC ...".
std::map<std::string, std::string> read_cpuinfo(const fs::path& root) {
  std::ifstream stream(root / "proc/cpuinfo");
  std::map<std::string, std::string> fields;
  for (std::string line; std::getline(stream, line) && !line.empty();) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::size_t name_end = line.find_last_not_of(" \t", colon - 1);
    const std::size_t value = std::min(line.find_first_not_of(' ', colon + 1), line.size());
    fields[line.substr(0, name_end + 1)] = line.substr(value);
  }
  return fields;
}

std::string first_line(const fs::path& path) {
  std::ifstream stream(path);
  std::string line;
  std::getline(stream, line);
  return line;
}

// "512K", "32M".
std::optional<double> cache_mib(const fs::path& cpu, int level) {
  for (int index = 0; index < 8; ++index) {
    const fs::path folder = cpu / "cache" / ("index" + std::to_string(index));
    if (first_line(folder / "level") != std::to_string(level)) continue;
    const std::string size = first_line(folder / "size");
    char* unit = nullptr;
    const double number = std::strtod(size.c_str(), &unit);
    if (number > 0) return *unit == 'M' ? number : number / 1024;
  }
  return std::nullopt;
}

int lanes_of(const std::string& flags) {
  const std::string padded = ' ' + flags + ' ';
  if (padded.find(" avx512f ") != std::string::npos) return 16;
  if (padded.find(" avx2 ") != std::string::npos || padded.find(" avx ") != std::string::npos) return 8;
  return 4;
}

std::string manufacturer_of(const std::string& vendor) {
  if (vendor == "AuthenticAMD") return "amd";
  if (vendor == "GenuineIntel") return "intel";
  return vendor.empty() ? "unknown" : vendor;
}

// Of a line "MemTotal:  8123456 kB"; 0 when there is none.
double meminfo_gib(const fs::path& root, const std::string& name) {
  std::ifstream stream(root / "proc/meminfo");
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with(name + ':')) return std::atof(line.c_str() + name.size() + 1) / (1 << 20);
  }
  return 0;
}

void read_memory(const fs::path& root, HostFacts& facts) {
  facts.memory_gib = meminfo_gib(root, "MemTotal");
  facts.available_gib = meminfo_gib(root, "MemAvailable");
  if (const auto group = read_group_memory(root)) {
    facts.memory_gib = std::min(facts.memory_gib, group->limit_gib);
    facts.available_gib = std::min(facts.available_gib, group->available_gib);
  }
}

int usable_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

}  // namespace

HostFacts read_host_facts(const fs::path& root) {
  auto cpuinfo = read_cpuinfo(root);
  const fs::path cpu = root / "sys/devices/system/cpu/cpu0";
  HostFacts facts;
  facts.cpu = cpuinfo["model name"].empty() ? "unknown CPU" : cpuinfo["model name"];
  facts.manufacturer = manufacturer_of(cpuinfo["vendor_id"]);
  facts.processors = usable_processors();
  facts.simd_lanes = lanes_of(cpuinfo["flags"]);
  read_memory(root, facts);
  if (const double mhz = std::atof(cpuinfo["cpu MHz"].c_str()); mhz > 0) facts.clock_mhz = mhz;
  facts.governor = first_line(cpu / "cpufreq/scaling_governor");
  facts.l2_cache_mib = cache_mib(cpu, 2);
  facts.l3_cache_mib = cache_mib(cpu, 3);
  return facts;
}

}  // namespace layersim
