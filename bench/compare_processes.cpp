// Times whole processes against each other: compare_processes RUNS 'COMMAND A' ['COMMAND B']
// The commands run in turn (A B A B ...) after one warm-up of each, so that a drift of the machine's speed
// hits both; the ratio is taken pair by pair. Prints for each the median wall time in ms and the peak memory
// in MB (1e6 bytes), then the median ratio B / A.

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

struct Usage {
  double wall_ms = 0;
  double peak_mb = 0;
};

Usage run_once(const char* command) {
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) {
    const int null_device = open("/dev/null", O_WRONLY);
    dup2(null_device, STDOUT_FILENO);
    const std::string exec_command = std::string("exec ") + command;
    execl("/bin/sh", "sh", "-c", exec_command.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0) {
    std::fprintf(stderr, "compare_processes: '%s' failed with status %d\n", command, status);
    std::exit(1);
  }
  const std::chrono::duration<double, std::milli> wall = std::chrono::steady_clock::now() - start;
  return {wall.count(), static_cast<double>(usage.ru_maxrss) * 1024 / 1e6};
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

int main(int argc, char** argv) {
  const int runs = argc < 3 ? 0 : std::atoi(argv[1]);
  if (runs < 1) {
    std::fprintf(stderr, "usage: compare_processes RUNS 'COMMAND A' ['COMMAND B' ...]\n");
    return 2;
  }
  const std::vector<const char*> commands(argv + 2, argv + argc);
  std::vector<std::vector<Usage>> usages(commands.size());
  for (const char* command : commands) run_once(command);
  for (int run = 0; run < runs; ++run) {
    for (std::size_t i = 0; i < commands.size(); ++i) usages[i].push_back(run_once(commands[i]));
  }
  for (std::size_t i = 0; i < commands.size(); ++i) {
    std::vector<double> wall_ms;
    std::vector<double> ratios;
    double peak_mb = 0;
    for (std::size_t run = 0; run < usages[i].size(); ++run) {
      wall_ms.push_back(usages[i][run].wall_ms);
      ratios.push_back(usages[i][run].wall_ms / usages[0][run].wall_ms);
      peak_mb = std::max(peak_mb, usages[i][run].peak_mb);
    }
    std::printf("%10.1f ms %8.1f MB %8.1f x  %s\n", median(wall_ms), peak_mb, median(ratios), commands[i]);
  }
  return 0;
}
