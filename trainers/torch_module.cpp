#include "trainers/torch_module.h"

#include "sim/core/module_loader.h"
#include "trainers/trainer_module.h"

namespace layersim {
namespace {

constexpr const char* kModule = "layersim_torch.so";

}  // namespace

const Trainer* load_torch_trainer() {
  using Entry = decltype(&layersim_torch_trainer);
  const auto entry = reinterpret_cast<Entry>(
      find_module_entry(kModule, "layersim_torch_trainer"));  // NOLINT: as POSIX has it
  return entry == nullptr ? nullptr : entry();
}

const RunTrainer* load_torch_run_trainer() {
  using Entry = decltype(&layersim_torch_run_trainer);
  const auto entry = reinterpret_cast<Entry>(
      find_module_entry(kModule, "layersim_torch_run_trainer"));  // NOLINT: as POSIX has it
  return entry == nullptr ? nullptr : entry();
}

}  // namespace layersim
