#include <ATen/Parallel.h>
#include <dlfcn.h>
#include <torch/version.h>

#include <filesystem>

#include "sampler/host_facts.h"
#include "sampler/torch/device_facts.h"

// Of the BLAS that libtorch calls.
extern "C" __attribute__((weak)) void sgemm_();  // NOLINT(readability-identifier-naming): its name

namespace layersim::torch_sampler {
namespace {

// "openblas-pthread/libblas.so.3"; empty where libtorch has its BLAS built in.
std::string blas_name() {
  Dl_info info{};
  void* const address = reinterpret_cast<void*>(&sgemm_);  // NOLINT: as POSIX has it
  if (address == nullptr || dladdr(address, &info) == 0) return {};
  std::error_code error;
  const std::filesystem::path file = std::filesystem::canonical(info.dli_fname, error);
  return (file.parent_path().filename() / file.filename()).string();
}

}  // namespace

BackendFacts cpu_facts() {
  const HostFacts host = read_host_facts();
  const std::string blas = blas_name();
  BackendFacts facts{
      .device = host.cpu,
      .stack = "libtorch" + std::to_string(TORCH_VERSION_MAJOR) + '.' + std::to_string(TORCH_VERSION_MINOR),
      .library_version = std::string("libtorch ") + TORCH_VERSION + (blas.empty() ? "" : ", BLAS " + blas),
      .threads = at::get_num_threads(),
      .memory_mib = host.available_gib * 1024};
  if (blas.starts_with("blas/")) {
    facts.warning =
        "libtorch uses the reference BLAS: matrix products are many times slower than they need be; install "
        "libopenblas0-pthread";
  }
  return facts;
}

}  // namespace layersim::torch_sampler
