#include "sim/cli/progress_line.h"

#include <unistd.h>

#include <cstdio>

#include "sim/report/readable_text.h"

namespace layersim {

ProgressLine::ProgressLine() : terminal_(isatty(STDERR_FILENO) != 0) {}

void ProgressLine::show(const std::string& network, const TrainingProgress& progress) {
  const auto now = std::chrono::steady_clock::now();
  const bool last = progress.epoch == progress.epochs;
  if (!terminal_ && !last && now - shown_ < std::chrono::seconds(5)) return;
  shown_ = now;
  std::fprintf(stderr, "%s%s: epoch %d of %d, validation error %.2f %%, %s%s", terminal_ ? "\r\033[K" : "",
               network.c_str(), progress.epoch, progress.epochs, 100 * progress.validation_mape,
               duration(progress.elapsed_s).c_str(), terminal_ && !last ? "" : "\n");
}

}  // namespace layersim
