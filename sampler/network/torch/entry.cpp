// The entry of the module: a network made ready, and run batch by batch.

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <link.h>
#include <torch/autograd.h>
#include <torch/version.h>

#include <filesystem>
#include <string_view>

#include "sampler/network/torch/device_clock.h"
#include "sampler/network/torch/node_times.h"
#include "sampler/network/torch/torch_error.h"
#include "sampler/network/torch_network_module.h"
#include "sampler/torch/host_allocator.h"

namespace layersim {
namespace {

// The file behind the name libblas.so, which Debian's alternatives choose.
std::string find_blas() {
  std::string blas;
  const auto look = [](dl_phdr_info* library, std::size_t /*size*/, void* found) {
    if (std::string_view(library->dlpi_name).find("/libblas.so") == std::string_view::npos) return 0;
    *static_cast<std::string*>(found) = library->dlpi_name;
    return 1;
  };
  if (dl_iterate_phdr(look, &blas) == 0) return "BLAS within libtorch";
  std::error_code ignored;
  return "BLAS " + std::filesystem::canonical(blas, ignored).string();
}

// "Intel(R) MKL-DNN v2.7.2 (Git Hash N/A)" without the hash.
std::string products_of_library() {
  const std::string onednn = at::get_mkldnn_version();
  return onednn.substr(0, onednn.find(" (")) + ", " + find_blas();
}

class TorchNetwork : public RunnableNetwork {
 public:
  TorchNetwork(const Graph& graph, const NetworkRunSettings& settings)
      : program_(graph, settings.device, settings.mode == Mode::training, settings.seed),
        update_(program_, settings.optimizer),
        training_(settings.mode == Mode::training) {
    library_.stack =
        "libtorch" + std::to_string(TORCH_VERSION_MAJOR) + '.' + std::to_string(TORCH_VERSION_MINOR);
    library_.version = TORCH_VERSION;
    library_.products = products_of_library();
  }

  double run(int batches) override {
    return with_torch_errors([&] {
      DeviceClock clock(program_.device());
      for (int batch = 0; batch < batches; ++batch) run_batch();
      return clock.lap_ms();
    });
  }

  std::vector<NodeTime> time_nodes() override {
    return with_torch_errors(
        [&] { return training_ ? time_training(program_, update_) : time_forward(program_); });
  }

  [[nodiscard]] const RunLibrary& library() const override { return library_; }

 private:
  void run_batch() {
    if (training_) {
      train();
      return;
    }
    const at::NoGradGuard no_gradients;
    (void)program_.forward();
  }

  void train() {
    const at::Tensor loss = mean_loss(program_.forward());
    if (!loss.defined()) {
      throw Error(ErrorKind::nothing_predicted, "no output depends on a weight: there is nothing to train");
    }
    with_context("backward pass", [&] { with_torch_errors([&] { loss.backward(); }); });
    update_.update_all();
  }

  GraphProgram program_;
  WeightUpdate update_;
  RunLibrary library_;
  bool training_;
};

}  // namespace
}  // namespace layersim

layersim::RunnableNetwork* layersim_make_torch_network(const layersim::Graph& graph,
                                                       const layersim::NetworkRunSettings& settings) {
  layersim::keep_freed_memory();
  at::set_num_threads(settings.threads);
  return layersim::with_torch_errors([&] {
    return new layersim::TorchNetwork(graph, settings);  // NOLINT: the caller owns it
  });
}
