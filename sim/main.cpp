#include <malloc.h>

#include <csignal>
#include <limits>

#include "sim/cli/command.h"

int main(int argc, char** argv) {
  // A reader that has seen enough (`layersim ... | head`) is no error: writing then fails instead of killing.
  std::signal(SIGPIPE, SIG_IGN);
  // Memory that is freed is needed again soon; to give it back and fetch it anew takes a twentieth of the
  // time that a network of 100,000 nodes needs.
  constexpr int kLargestThreshold = 32 << 20;
  mallopt(M_MMAP_THRESHOLD, kLargestThreshold);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  return layersim::run_program({argv + 1, argv + argc});
}
