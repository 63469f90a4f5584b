#include "trainers/torch_module.h"

#include <cstdlib>

#include "sim/core/module_loader.h"
#include "trainers/trainer_module.h"

namespace layersim {
namespace {

constexpr const char* kModule = "layersim_torch.so";

template <typename Entry>
auto call_entry(const char* name) -> decltype(Entry{}()) {
  // The networks are too small for more than one thread to pay: OpenBLAS, which reads this when libtorch
  // loads it, would spend most of the time waiting for its own.
  setenv("OPENBLAS_NUM_THREADS", "1", 0);  // NOLINT(concurrency-mt-unsafe): before there are other threads
  const auto entry = reinterpret_cast<Entry>(find_module_entry(kModule, name));  // NOLINT: as POSIX has it
  return entry == nullptr ? nullptr : entry();
}

}  // namespace

bool has_torch_trainer() { return has_module(kModule); }

const Trainer* load_torch_trainer() {
  return call_entry<decltype(&layersim_torch_trainer)>("layersim_torch_trainer");
}

const RunTrainer* load_torch_run_trainer() {
  return call_entry<decltype(&layersim_torch_run_trainer)>("layersim_torch_run_trainer");
}

const DenseTrainer* load_torch_dense_trainer() {
  return call_entry<decltype(&layersim_torch_dense_trainer)>("layersim_torch_dense_trainer");
}

}  // namespace layersim
