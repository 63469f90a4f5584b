#include "sim/cli/progress_line.h"

#include <unistd.h>

#include <cstdio>

#include "sim/report/readable_text.h"

namespace layersim {

ProgressLine::ProgressLine() : terminal_(isatty(STDERR_FILENO) != 0) {}

void ProgressLine::show(const std::string& text, bool last) {
  const auto now = std::chrono::steady_clock::now();
  if (!terminal_ && !last && now - shown_ < std::chrono::seconds(5)) return;
  shown_ = now;
  if (!terminal_ && text == text_) return;
  text_ = text;
  std::fprintf(stderr, "%s%s%s", terminal_ ? "\r\033[K" : "", text.c_str(), terminal_ && !last ? "" : "\n");
}

void ProgressLine::show(const std::string& network, const TrainingProgress& progress) {
  char error[32] = {};
  std::snprintf(error, sizeof error, "%.2f %%", 100 * progress.validation_mape);
  show(network + ": epoch " + std::to_string(progress.epoch) + " of " + std::to_string(progress.epochs) +
           ", validation error " + error + ", " + duration(progress.elapsed_s),
       progress.epoch == progress.epochs);
}

}  // namespace layersim
