// The backend on libtorch: eager operators, as a PyTorch program runs them. A forward pass runs without
// gradients; a training step is forward, backward and the optimizer's update.

#include "sampler/torch_backend.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <c10/core/DeviceGuard.h>
#include <torch/cuda.h>

#include <mutex>

#include "sampler/torch/device_facts.h"
#include "sampler/torch/host_allocator.h"
#include "sampler/torch/optimizer.h"
#include "sampler/torch/step_clock.h"
#include "sampler/torch/torch_layer.h"
#include "sim/core/error.h"

namespace layersim::torch_sampler {
namespace {

at::ScalarType scalar_type(Precision precision) {
  switch (precision) {
    case Precision::fp64:
      return at::kDouble;
    case Precision::fp32:
    case Precision::tf32:
      return at::kFloat;
    case Precision::fp16:
      return at::kHalf;
    case Precision::bf16:
      return at::kBFloat16;
    case Precision::mixed:
    case Precision::fp8:
    case Precision::int8:
      break;
  }
  throw CannotMeasure("the sampler does not run this precision");
}

// The first line of what libtorch says, without its own stack.
CannotMeasure reason_of(const std::exception& error) {
  const std::string text = error.what();
  const std::string line = text.substr(0, text.find('\n'));
  const bool full = line.find("out of memory") != std::string::npos ||
                    line.find("allocate memory") != std::string::npos ||
                    dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
  return CannotMeasure(full ? "out of memory" : line);
}

template <typename Body>
auto with_reason(Body&& body) {
  try {
    return body();
  } catch (const CannotMeasure&) {
    throw;
  } catch (const std::exception& error) {
    throw reason_of(error);
  }
}

class TorchStep : public PreparedLayer {
 public:
  TorchStep(TorchLayer layer, const SampleProblem& sample, const c10::Device& device, StepClock& clock)
      : layer_(std::move(layer)),
        device_(device),
        clock_(clock),
        is_training_(sample.mode == Mode::training) {
    if (!is_training_) return;
    for (at::Tensor& tensor : layer_.inputs) tensor.set_requires_grad(sample.input_gradient);
    for (at::Tensor& tensor : layer_.weights) tensor.set_requires_grad(true);
    update_ = make_update(sample.optimizer, layer_.weights);
    const at::Tensor out = layer_.forward();
    if (!out.requires_grad()) throw CannotMeasure("has no gradient");
    gradient_ = at::ones_like(out);
  }

  MeasuredStep run(int calls) override {
    const c10::DeviceGuard guard(device_);
    return with_reason([&] { return is_training_ ? train(calls) : forward(calls); });
  }

 private:
  MeasuredStep forward(int calls) {
    const at::NoGradGuard no_gradients;
    clock_.start();
    clock_.mark();
    for (int call = 0; call < calls; ++call) layer_.forward();
    clock_.mark();
    clock_.wait();
    return {.total_ms = clock_.ms_between(0, 1)};
  }

  MeasuredStep train(int calls) {
    clock_.start();
    clock_.mark();
    for (int call = 0; call < calls; ++call) {
      forget_gradients();
      const at::Tensor out = layer_.forward();
      clock_.mark();
      out.backward(gradient_);
      clock_.mark();
      if (update_) update_();
      clock_.mark();
    }
    clock_.wait();
    MeasuredStep time;
    for (std::size_t mark = 0; mark < 3 * static_cast<std::size_t>(calls); mark += 3) {
      time.forward_ms += clock_.ms_between(mark, mark + 1);
      time.backward_ms += clock_.ms_between(mark + 1, mark + 2);
      time.update_ms += clock_.ms_between(mark + 2, mark + 3);
    }
    time.total_ms = time.forward_ms + time.backward_ms + time.update_ms;
    return time;
  }

  // As zero_grad() does by default: the next backward pass makes new ones.
  void forget_gradients() {
    for (auto* tensors : {&layer_.inputs, &layer_.weights}) {
      for (at::Tensor& tensor : *tensors) tensor.mutable_grad() = at::Tensor();
    }
  }

  TorchLayer layer_;
  c10::Device device_;
  StepClock& clock_;
  bool is_training_;
  std::function<void()> update_;
  at::Tensor gradient_;
};

class TorchBackend : public Backend {
 public:
  explicit TorchBackend(const c10::Device& device) : device_(device) {
    if (device.is_cpu()) {
      keep_freed_memory();
      facts_ = cpu_facts();
      clock_ = make_cpu_clock();
      return;
    }
#ifdef LAYERSIM_TORCH_CUDA
    facts_ = cuda_facts(device);
    clock_ = make_cuda_clock();
#endif
  }

  [[nodiscard]] BackendFacts facts() const override { return facts_; }

  [[nodiscard]] std::unique_ptr<PreparedLayer> prepare(const SampleProblem& sample) override {
    const LayerMaker make = find_layer_maker(sample.problem.kind->name);
    if (make == nullptr) throw CannotMeasure("the sampler has no libtorch layer of this kind");
    return with_reason([&]() -> std::unique_ptr<PreparedLayer> {
      const c10::DeviceGuard guard(device_);
#ifdef LAYERSIM_TORCH_CUDA
      if (device_.is_cuda()) empty_cuda_cache();
#endif
      if (device_.is_cpu()) give_back_freed_memory();
      at::manual_seed(1);
      at::globalContext().setAllowTF32CuBLAS(sample.precision == Precision::tf32);
      at::globalContext().setAllowTF32CuDNN(sample.precision == Precision::tf32);
      const auto options = at::TensorOptions().device(device_).dtype(scalar_type(sample.precision));
      return std::make_unique<TorchStep>(make(sample, TensorMaker(options)), sample, device_, *clock_);
    });
  }

 private:
  c10::Device device_;
  BackendFacts facts_;
  std::unique_ptr<StepClock> clock_;
};

c10::Device parse_device(const std::string& name) {
  c10::Device device(c10::kCPU);
  try {
    device = c10::Device(name);
  } catch (const c10::Error&) {
    throw bad_use("--device: '" + name + "' is not a device as cpu or cuda:0");
  }
  if (device.is_cpu()) return device;
#ifdef LAYERSIM_TORCH_CUDA
  if (device.is_cuda() && device.index() < static_cast<int>(torch::cuda::device_count())) {
    return c10::Device(c10::kCUDA, std::max<c10::DeviceIndex>(device.index(), 0));
  }
  throw bad_use("--device " + name + " is not here: libtorch sees " +
                std::to_string(torch::cuda::device_count()) + " CUDA devices");
#else
  throw bad_use("--device " + name + ": this libtorch is built without CUDA");
#endif
}

}  // namespace
}  // namespace layersim::torch_sampler

layersim::Backend* layersim_torch_backend(const char* device, int threads) {
  using namespace layersim::torch_sampler;  // NOLINT: names of this function alone
  const c10::Device parsed = parse_device(device);
  if (threads > 0) {
    at::set_num_threads(threads);
    static std::once_flag once;  // libtorch refuses a second time
    std::call_once(once, [] { at::set_num_interop_threads(1); });
  }
  return new TorchBackend(parsed);  // NOLINT: the caller owns it
}
