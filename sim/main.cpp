#include <csignal>

#include "sim/cli/command.h"

int main(int argc, char** argv) {
  // A reader that has seen enough (`layersim ... | head`) is no error: writing then fails instead of killing.
  std::signal(SIGPIPE, SIG_IGN);
  return layersim::run_program({argv + 1, argv + argc});
}
