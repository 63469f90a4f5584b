#include "sampler/backend.h"

#include <cstdlib>

#include "sampler/fake_backend.h"
#include "sampler/torch_backend.h"
#include "sim/core/error.h"
#include "sim/core/module_loader.h"

namespace layersim {
namespace {

constexpr std::string_view kFake = "fake";

// Libraries read these when they are loaded.
void limit_library_threads(int threads) {
  const std::string count = std::to_string(threads);
  for (const char* variable : {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"}) {
    setenv(variable, count.c_str(), 1);  // NOLINT: before any thread is started
  }
}

}  // namespace

std::unique_ptr<Backend> open_backend(const std::string& device, int threads) {
  if (device == kFake) return make_fake_backend("");
  if (device.starts_with("fake:")) return make_fake_backend(device.substr(kFake.size() + 1));
  if (threads > 0) limit_library_threads(threads);
  const auto entry = reinterpret_cast<decltype(&layersim_torch_backend)>(  // NOLINT: as POSIX has it
      find_module_entry("layersim_torch_sampler.so", "layersim_torch_backend"));
  if (entry == nullptr) {
    throw bad_use("--device " + device +
                  " needs libtorch, which this program was built or installed without: install libtorch-dev "
                  "and build again");
  }
  return std::unique_ptr<Backend>(entry(device.c_str(), threads));
}

}  // namespace layersim
