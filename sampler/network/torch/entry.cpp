// The entry of the module: a network made ready, and run batch by batch.

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <torch/autograd.h>
#include <torch/csrc/api/include/torch/version.h>

#include "sampler/network/torch/device_clock.h"
#include "sampler/network/torch/node_times.h"
#include "sampler/network/torch/torch_error.h"
#include "sampler/network/torch_network_module.h"

namespace layersim {
namespace {

class TorchNetwork : public RunnableNetwork {
 public:
  TorchNetwork(const Graph& graph, const NetworkRunSettings& settings)
      : program_(graph, settings.device, settings.mode == Mode::training, settings.seed),
        update_(program_, settings.optimizer),
        training_(settings.mode == Mode::training) {
    library_.stack =
        "libtorch" + std::to_string(TORCH_VERSION_MAJOR) + '.' + std::to_string(TORCH_VERSION_MINOR);
    library_.version = TORCH_VERSION;
  }

  double run(int batches) override {
    DeviceClock clock(program_.device());
    for (int batch = 0; batch < batches; ++batch) {
      if (training_) {
        train();
      } else {
        const at::NoGradGuard no_gradients;
        (void)program_.forward();
      }
    }
    return clock.lap_ms();
  }

  std::vector<NodeTime> time_nodes() override {
    return training_ ? time_training(program_, update_) : time_forward(program_);
  }

  [[nodiscard]] const RunLibrary& library() const override { return library_; }

 private:
  void train() {
    const at::Tensor loss = mean_loss(program_.forward());
    if (!loss.defined()) {
      throw Error(ErrorKind::nothing_predicted, "no output depends on a weight: there is nothing to train");
    }
    try {
      loss.backward();
    } catch (const c10::Error& error) {
      throw torch_error(error).within("backward pass");
    }
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
  at::set_num_threads(settings.threads);
  return new layersim::TorchNetwork(graph, settings);  // NOLINT: the caller owns it
}
