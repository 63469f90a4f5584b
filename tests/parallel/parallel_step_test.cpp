#include "sim/parallel/parallel_step.h"

#include <catch2/catch.hpp>

#include "hwdb/device_db.h"
#include "sim/core/error.h"
#include "sim/decompose/decompose.h"
#include "sim/import/open_network.h"

using namespace layersim;
using Catch::Matchers::Contains;

namespace {

Network network(const std::string& name, std::int64_t batch) {
  Warnings warnings;
  DecomposeOptions options;
  options.bindings.batch = batch;
  return decompose(open_network(name, warnings), options);
}

struct Steps {
  Device device;
  std::unique_ptr<Predictor> predictor = make_predictor("roofline");

  explicit Steps(const std::string& gpu) : device(DeviceDb().find(gpu)) {}

  ParallelStep on(const std::string& name, std::int64_t batch, const ParallelOptions& options) {
    const ParallelPlan plan = make_plan(options, device, batch);
    const Network net = network(name, batch_of_device(plan, batch));
    Conditions conditions{.device = &device};
    conditions.n_gpus = options.cluster.devices;
    Warnings warnings;
    return parallel_step(net, conditions, *predictor, plan, warnings);
  }
};

ParallelOptions gpus(int devices, Parallelism kind, int hosts = 1, const std::string& links = "") {
  return {.cluster = {.devices = devices, .hosts = hosts, .interconnects = links},
          .kind = kind,
          .micro_batches = {}};
}

}  // namespace

TEST_CASE("on one device every kind of parallelism is the plain step") {
  Steps steps("v100-sxm2");
  const double plain_ms = steps.on("resnet18", 8, {}).time.step.batch_ms();
  CHECK(plain_ms > 0);
  for (const Parallelism kind : {Parallelism::ddp, Parallelism::dp, Parallelism::tp, Parallelism::pp}) {
    const ParallelStep step = steps.on("resnet18", 8, gpus(1, kind));
    CHECK(step.time.step.batch_ms() == plain_ms);
    CHECK(step.interconnect_busy_ms == 0);
  }
}

TEST_CASE("data parallel: the share's step and the exchange that nothing hides") {
  Steps steps("v100-sxm2");
  const StepTime alone = steps.on("resnet50", 32, {}).time.step;
  const ParallelStep fast = steps.on("resnet50", 128, gpus(4, Parallelism::ddp));
  CHECK(fast.time.step.forward_ms == Approx(alone.forward_ms));
  CHECK(fast.time.step.batch_ms() == Approx(alone.batch_ms() + fast.time.step.communication_ms));
  CHECK(fast.time.step.communication_ms < 0.2 * fast.interconnect_busy_ms);
  // Over slow Ethernet the exchange is longer than the backward pass.
  const ParallelStep slow = steps.on("resnet50", 128, gpus(4, Parallelism::ddp, 4, "ethernet-10"));
  CHECK(slow.time.step.communication_ms > 10 * fast.time.step.communication_ms);
  CHECK(slow.interconnect_busy_ms > slow.time.step.communication_ms);
  // Buckets are a copy of the gradients.
  CHECK(fast.memory.gradients_bytes == Approx(2 * 25'557'032 * 4.0));
}

TEST_CASE("data parallel in a forward pass exchanges nothing") {
  Steps steps("v100-sxm2");
  const ParallelPlan plan = make_plan(gpus(4, Parallelism::ddp), steps.device, 8);
  Conditions conditions{.device = &steps.device};
  conditions.mode = Mode::forward;
  conditions.optimizer = Optimizer::none;
  Warnings warnings;
  CHECK(parallel_step(network("resnet18", 2), conditions, *steps.predictor, plan, warnings)
            .time.step.communication_ms == 0);
}

TEST_CASE("DataParallel is slower than DistributedDataParallel, and the more so the more devices") {
  Steps steps("rtx2080ti");
  double last_ms = 0;
  for (const int devices : {2, 3, 4}) {
    const double ddp_ms =
        steps.on("resnet50", 12 * devices, gpus(devices, Parallelism::ddp)).time.step.batch_ms();
    const double dp_ms =
        steps.on("resnet50", 12 * devices, gpus(devices, Parallelism::dp)).time.step.batch_ms();
    CHECK(dp_ms > ddp_ms);
    CHECK(dp_ms > last_ms);
    last_ms = dp_ms;
  }
  CHECK_THROWS_WITH(steps.on("resnet50", 8, gpus(4, Parallelism::dp, 2)), Contains("one process"));
}

TEST_CASE("tensor parallel: less work and memory each, sums that nothing hides") {
  Steps steps("a100-sxm4-40gb");
  const ParallelStep alone = steps.on("gpt2", 8, {});
  const ParallelStep cut = steps.on("gpt2", 8, gpus(4, Parallelism::tp));
  CHECK(cut.time.step.forward_ms < 0.5 * alone.time.step.forward_ms);
  CHECK(cut.time.step.forward_ms > 0.25 * alone.time.step.forward_ms);
  CHECK(cut.time.step.communication_ms == Approx(cut.interconnect_busy_ms));
  CHECK(cut.memory.weights_bytes < 0.3 * alone.memory.weights_bytes);
  CHECK(cut.memory.activations_bytes < 0.6 * alone.memory.activations_bytes);
}

TEST_CASE("pipeline: work of the slowest stage, bubble and exchange add up") {
  Steps steps("a100-sxm4-40gb");
  const ParallelStep alone = steps.on("gpt2", 8, {});
  ParallelOptions one_batch = gpus(4, Parallelism::pp);
  one_batch.micro_batches = 1;
  const ParallelStep whole = steps.on("gpt2", 8, one_batch);
  // One micro-batch: the devices work one after the other.
  const StepTime& step = whole.time.step;
  CHECK(step.forward_ms + step.backward_ms + step.bubble_ms ==
        Approx(alone.time.step.forward_ms + alone.time.step.backward_ms));
  CHECK(step.batch_ms() == Approx(step.forward_ms + step.backward_ms + step.optimizer_ms + step.overhead_ms +
                                  step.communication_ms + step.bubble_ms));
  // The more micro-batches, the less the bubble.
  const StepTime many = steps.on("gpt2", 8, gpus(4, Parallelism::pp)).time.step;
  CHECK(many.bubble_ms < 0.3 * step.bubble_ms);
  CHECK(many.batch_ms() < step.batch_ms());
  CHECK(whole.memory.weights_bytes < 0.6 * alone.memory.weights_bytes);
}

TEST_CASE("plans that do not fit say why") {
  const Device device = DeviceDb().find("v100-sxm2");
  const auto share = [&](const ParallelOptions& options, std::int64_t batch) {
    return batch_of_device(make_plan(options, device, batch), batch);
  };
  CHECK(share(gpus(4, Parallelism::ddp), 30) == 8);
  CHECK(share(gpus(4, Parallelism::tp), 1) == 1);
  CHECK(share(gpus(4, Parallelism::pp), 64) == 4);  // 16 micro-batches
  CHECK(share(gpus(4, Parallelism::pp), 3) == 1);
  CHECK_THROWS_WITH(share(gpus(4, Parallelism::ddp), 3),
                    Contains("a batch of 3 has less than one sample for each of 4 GPUs"));
  ParallelOptions options = gpus(4, Parallelism::pp);
  options.micro_batches = 8;
  CHECK_THROWS_WITH(share(options, 4), Contains("8 micro-batches"));
  options.kind = Parallelism::ddp;
  CHECK_THROWS_WITH(share(options, 4), Contains("--micro-batches is for a pipeline"));
}
