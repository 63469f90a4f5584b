// Memory against formulas and against what others have measured.

#include "sim/timing/memory.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <iostream>

#include "hwdb/device_db.h"
#include "sim/core/error.h"
#include "sim/features/run_conditions.h"
#include "sim/graph/graph_text.h"
#include "sim/timing/step_memory.h"
#include "sim/zoo/zoo.h"

using namespace layersim;

namespace {

constexpr double kMib = 1024.0 * 1024.0;

Network take_apart(const std::string& text, std::vector<std::string> freeze = {}) {
  DecomposeOptions options;
  options.freeze = std::move(freeze);
  return decompose(parse_graph_text("network test opset 17\n" + text), options);
}

Network zoo_network(const char* name, std::int64_t batch) {
  DecomposeOptions options;
  options.bindings.batch = batch;
  return decompose(find_zoo_network(name)->build(), options);
}

std::vector<double> once(const Network& network) { return std::vector<double>(network.layers.size(), 1); }

// In tensors of 1000 elements of 4 bytes.
double training_tensors(const Network& network) { return peak_training_bytes(network, once(network)) / 4000; }
double forward_tensors(const Network& network) { return peak_forward_bytes(network, once(network)) / 4000; }

Device some_gpu() {
  Device device;
  device.key = "some";
  device.device_type = "gpu";
  device.memory_gib = 10;
  device.memory_type = "hbm2";
  device.market = "datacenter";
  return device;
}

// n linear layers of the same width, one behind the other.
std::string chain(int layers, int batch, int width) {
  const std::string square = "[" + std::to_string(width) + ", " + std::to_string(width) + "]";
  std::string text = "input x f32 [" + std::to_string(batch) + ", " + std::to_string(width) + "]\n";
  for (int i = 0; i < layers; ++i) {
    const std::string n = std::to_string(i);
    text += "weight w" + n + " f32 " + square + "\nweight b" + n + " f32 [" + std::to_string(width) + "]\n" +
            'h' + n + " = Gemm(" + (i == 0 ? std::string("x") : "h" + std::to_string(i - 1)) + ", w" + n +
            ", b" + n + ")\n";
  }
  return text + "output h" + std::to_string(layers - 1) + '\n';
}

}  // namespace

TEST_CASE("memory: a chain of linear layers, by formula") {
  for (const int layers : {1, 2, 10}) {
    INFO(layers << " layers");
    const Network network = take_apart(chain(layers, 10, 100));
    // Input and outputs of all layers; then the gradient of the last output, and the gradient of its input
    // (or, in the first layer, which computes none, what the loss kept before).
    CHECK(training_tensors(network) == layers + 3);
    // Input (the caller holds it), the output that is read and the one that is written; the last one stays.
    CHECK(forward_tensors(network) == std::min(layers + 1, 3));
  }
}

TEST_CASE("memory: activations stay only where a backward pass reads them") {
  // conv keeps its input, relu within it its output; the view costs nothing.
  const std::string text = R"(input x f32 [1, 10, 10, 10]
weight w1 f32 [10, 10, 1, 1]
weight w2 f32 [1000, 10]
a = Conv(x, w1) name "conv"
b = Relu(a) name "relu"
c = Flatten(b)
y = MatMul(c, w2) name "fc"
output y
)";
  // x, b; y and what the loss keeps of it and its gradient are 10 elements each.
  CHECK(training_tensors(take_apart(text)) == Approx(2 + 1 + 0.02));  // the gradient of b behind fc
  // A frozen convolution keeps no input, but the ReLU's output is that of fc.
  CHECK(training_tensors(take_apart(text, {"conv"})) == Approx(2 + 0.03));
  CHECK(forward_tensors(take_apart(text)) == Approx(2.01));
}

TEST_CASE("memory: a sum passes its gradient on, and a second gradient lies beside the first") {
  const Network network = take_apart(R"(input x f32 [10, 100]
weight w0 f32 [100, 100]
weight w1 f32 [100, 100]
weight w2 f32 [100, 100]
a = MatMul(x, w0)
b = MatMul(a, w1)
s = Add(a, b)
y = MatMul(s, w2)
output y
)");
  // Kept: x, a, s, and y stays. The sum lies there forward with its operands: x a b s, then y instead of b.
  // Backward: dy, ds (loss gone) = 6; then ds serves as db and da, and the gradient that w1 sends to a comes
  // beside it: x a y, ds, da = 5 (s and dy are gone).
  CHECK(training_tensors(network) == 6);
}

TEST_CASE("memory: masks and indices, and what loops keep in each iteration") {
  const Network pooled = take_apart(
      "input x f32 [1, 10, 20, 20]\ny = MaxPool(x) {kernel_shape=[2, 2], strides=[2, 2]}\noutput y\n");
  CHECK(training_tensors(pooled) == 4 + 1);  // nothing is learned: no backward pass keeps anything
  const Network learned = take_apart(R"(input x f32 [1, 10, 20, 20]
weight w f32 [10, 10, 1, 1]
a = Conv(x, w)
y = MaxPool(a) {kernel_shape=[2, 2], strides=[2, 2]}
output y
)");
  // x, a (4 each), y, 64-bit indices (2); behind the loss dy, then da.
  CHECK(training_tensors(learned) == 4 + 4 + 1 + 2 + 1 + 4);

  Network network = take_apart(chain(2, 10, 100));
  const std::vector<double> repeats{3, 3};
  CHECK(peak_training_bytes(network, repeats) > peak_training_bytes(network, once(network)));
}

TEST_CASE("memory: weights, gradients and the optimizer's states") {
  Network network = take_apart(chain(2, 10, 100));
  const Device device = some_gpu();
  const double params = 2 * (10000 + 100);
  const auto need = [&](Conditions conditions) {
    conditions.device = &device;
    return memory_need(network, once(network), conditions);
  };
  Memory memory = need({.optimizer = Optimizer::adam});
  CHECK(memory.weights_bytes == 4 * params);
  CHECK(memory.gradients_bytes == 4 * params);
  CHECK(memory.optimizer_bytes == 2 * 4 * params);
  CHECK(memory.context_bytes == 400 * kMib);
  CHECK(memory.workspace_bytes == 8519680);  // as torch.cuda.memory_snapshot() shows it behind a product
  CHECK(need({.optimizer = Optimizer::momentum}).optimizer_bytes == 4 * params);
  CHECK(need({.optimizer = Optimizer::sgd}).optimizer_bytes == 0);
  const Memory forward = need({.mode = Mode::forward, .optimizer = Optimizer::none});
  CHECK(forward.gradients_bytes + forward.optimizer_bytes == 0);
  CHECK(forward.activations_bytes == 3 * 4000);

  network.frozen_params = 10100;
  CHECK(need({.optimizer = Optimizer::adam}).gradients_bytes == 4 * 10100);
  CHECK(need({.optimizer = Optimizer::adam}).optimizer_bytes == 2 * 4 * 10100);
  network.frozen_params = 0;
  const Conditions mixed = settle_conditions(network, device,
                                             {.mode = Mode::training,
                                              .optimizer = Optimizer::sgd,
                                              .precision = Precision::mixed,
                                              .stack = {},
                                              .n_gpus = 1});
  memory = need(mixed);
  CHECK(memory.weights_bytes == (4 + 2) * params);
  CHECK(memory.gradients_bytes == 4 * params);
  CHECK(memory.activations_bytes == 5 * 2000);
}

TEST_CASE("memory: what of a device can be had") {
  const auto share = [](const char* key) {
    const Device device = DeviceDb().find(key);
    return usable_bytes(device) / (device.memory_gib * 1024 * kMib);
  };
  CHECK(share("t4") == 0.92);          // 15,109 of 16,384 MiB reported: 0.922
  CHECK(share("k80") == 0.92);         // 11,441 of 12,288: 0.931
  CHECK(share("v100-sxm2") == 0.975);  // 16,160 of 16,384: 0.986
  CHECK(share("rtx2080ti") == 0.975);  // 11,019 of 11,264: 0.978
}

TEST_CASE("memory: the largest batch that fits is found by bisection") {
  for (const std::int64_t limit : {1, 2, 5, 37, 64, 1000}) {
    int calls = 0;
    const auto fits = [&](std::int64_t batch) {
      ++calls;
      return batch <= limit;
    };
    CHECK(largest_batch(fits, 1 << 20) == limit);
    CHECK(calls <= 22);
  }
  CHECK(largest_batch([](std::int64_t) { return false; }, 100) == 0);
  CHECK(largest_batch([](std::int64_t) { return true; }, 100) == 100);
}

// What others have measured, each with its source. Without the context, which PyTorch's counters do not see.
TEST_CASE("memory: measured peaks") {
  struct Measured {
    const char* what;
    double predicted_mib;
    double measured_mib;
  };
  std::vector<Measured> cases;
  const Device a100 = DeviceDb().find("a100-sxm4-80gb");
  const auto need = [&](Network network, Optimizer optimizer, std::optional<Precision> precision) {
    const Conditions conditions = settle_conditions(
        network, a100,
        {.mode = Mode::training, .optimizer = optimizer, .precision = precision, .stack = {}, .n_gpus = 1});
    return memory_need(network, once(network), conditions);
  };
  // 100 Linear(1024) on 10240 x 1024: 4,044 MiB in PyTorch beyond weights and input, which is 100 outputs of
  // 40 MiB, and the gradients of an input (40 MiB) and of a weight (4 MiB) in the first step back.
  const Memory linear = need(take_apart(chain(100, 10240, 1024)), Optimizer::sgd, std::nullopt);
  cases.push_back({"100 linear layers", linear.activations_bytes / kMib - 40, 4044});
  // ResNet-50 of torchvision, 256 images of 224 x 224, SGD with momentum: torch.cuda.max_memory_allocated()
  // of a public benchmark script for PyTorch 2.1 ("Benchmark FP32 (+/- TF32), FP16-AMP, and BF16-AMP on
  // Ampere/Hopper").
  const Memory full = need(zoo_network("resnet50", 256), Optimizer::momentum, std::nullopt);
  cases.push_back({"ResNet-50 fp32", (full.total_bytes() - full.context_bytes) / kMib, 21399});
  const Memory half = need(zoo_network("resnet50", 256), Optimizer::momentum, Precision::mixed);
  cases.push_back({"ResNet-50 mixed", (half.total_bytes() - half.context_bytes) / kMib, 11210});
  for (const Measured& measured : cases) {
    const double error = measured.predicted_mib / measured.measured_mib - 1;
    std::cout << measured.what << ": predicted " << std::lround(measured.predicted_mib) << " MiB, measured "
              << measured.measured_mib << " MiB, " << std::lround(1000 * error) / 10.0 << " %\n";
    CHECK(std::fabs(error) <= 0.1);
  }
}
