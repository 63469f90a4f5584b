#pragma once
// How far long work is, on standard error: one line that is written over on a terminal; elsewhere a line
// every few seconds.

#include <chrono>
#include <string>

#include "trainers/trainer.h"

namespace layersim {

class ProgressLine {
 public:
  ProgressLine();
  // `last`: the line stays.
  void show(const std::string& text, bool last);
  void show(const std::string& network, const TrainingProgress& progress);

 private:
  bool terminal_;
  std::chrono::steady_clock::time_point shown_;
  std::string text_;  // as it stands there
};

}  // namespace layersim
