// The parts that need CUDA's own headers.

#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAEvent.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <cuda_runtime_api.h>
#include <torch/version.h>

#include <deque>

#include "sampler/torch/device_facts.h"
#include "sampler/torch/step_clock.h"

namespace layersim::torch_sampler {
namespace {

// Events are kept, since making one takes longer than recording it.
class CudaClock : public StepClock {
 public:
  void start() override {
    used_ = 0;
    at::cuda::getCurrentCUDAStream().synchronize();
  }
  void mark() override {
    if (used_ == events_.size()) events_.emplace_back(cudaEventDefault);
    events_[used_].record();
    ++used_;
  }
  void wait() override {
    if (used_ > 0) events_[used_ - 1].synchronize();
  }
  [[nodiscard]] double ms_between(std::size_t first, std::size_t second) const override {
    return events_.at(first).elapsed_time(events_.at(second));
  }

 private:
  std::deque<at::cuda::CUDAEvent> events_;
  std::size_t used_ = 0;
};

std::string cuda_version_text(int version) {
  return std::to_string(version / 1000) + '.' + std::to_string(version % 1000 / 10);
}

}  // namespace

std::unique_ptr<StepClock> make_cuda_clock() { return std::make_unique<CudaClock>(); }

BackendFacts cuda_facts(const c10::Device& device) {
  const cudaDeviceProp& properties = *at::cuda::getDeviceProperties(device.index());
  int driver = 0;
  int runtime = 0;
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  return {
      .device = properties.name,
      .stack = "libtorch" + std::to_string(TORCH_VERSION_MAJOR) + '.' + std::to_string(TORCH_VERSION_MINOR),
      .library_version = std::string("libtorch ") + TORCH_VERSION + ", CUDA " + cuda_version_text(runtime) +
                         ", cuDNN " + std::to_string(at::detail::getCUDAHooks().versionCuDNN()),
      .driver = "CUDA " + cuda_version_text(driver),
      .threads = at::get_num_threads(),
      .memory_mib = static_cast<double>(properties.totalGlobalMem) / (1 << 20)};
}

void empty_cuda_cache() { c10::cuda::CUDACachingAllocator::emptyCache(); }

}  // namespace layersim::torch_sampler
