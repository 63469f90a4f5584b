#include "sim/features/instruction_issue.h"

namespace layersim {

double lanes_of_multiprocessor(const Device& device) { return device.cores / device.multiprocessors; }

double issued_threads_of_multiprocessor(const Device& device) {
  constexpr double kScheduler = 32;
  if (device.manufacturer != "nvidia") return lanes_of_multiprocessor(device);
  return device.chip == "GP100" ? 2 * kScheduler : 4 * kScheduler;
}

double instructions_of_scheduler(const Device& device) {
  const bool has_second = device.technology == "maxwell" || device.technology == "pascal";
  return has_second ? 4. / 3 : 1;
}

}  // namespace layersim
