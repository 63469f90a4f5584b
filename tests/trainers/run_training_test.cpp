#include "trainers/run_training.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <iostream>
#include <random>

#include "hwdb/device_db.h"
#include "sim/core/error.h"
#include "sim/features/feature_family.h"
#include "sim/import/open_network.h"
#include "trainers/part_features.h"
#include "trainers/run_error.h"
#include "trainers/torch_module.h"

using namespace layersim;

namespace {

const RunTrainReport kSilent = [](const std::string&, const RunProgress&) {};

Network network_of(const std::string& name, std::int64_t batch) {
  Warnings warnings;
  DecomposeOptions options;
  options.bindings.batch = batch;
  options.training = true;
  return decompose(open_network(name, warnings), options);
}

// What the physical terms of a part say, without its launch.
double physical_ms(const PartRows& rows, std::int32_t row) {
  const std::size_t terms = rows.family->terms.size();
  double sum_ms = 0;
  for (std::size_t k = 1; k < terms; ++k)
    sum_ms += std::exp(static_cast<double>(rows.log_terms_ms[static_cast<std::size_t>(row) * terms + k]));
  return sum_ms;
}

// Runs whose truth is known: each part takes 1.7 times its physical terms, the host 2 ms a step and 20 us a
// kernel, and the longer of the two decides. Devices of the Kepler generation take `kepler_factor` times as
// long.
RunSet synthetic_runs(const std::vector<std::string>& gpus = {"k80", "t4"}, double kepler_factor = 1) {
  RunSet set;
  RunSetBuilder builder(set);
  for (const std::string& gpu : gpus) {
    const Device device = DeviceDb().find(gpu);
    const double factor = 1.7 * (device.technology == "kepler" ? kepler_factor : 1);
    for (const char* name : {"lenet5", "alexnet", "squeezenet1_1", "vgg11", "resnet18", "mobilenet_v2"}) {
      for (const std::int64_t batch : {4, 16, 64}) {
        const Network network = network_of(name, batch);
        MeasuredRun& run = builder.add(network, {.device = &device, .stack = "tf2.5"}, 1);
        run.network = run.network_family = name;
        double device_ms = run.host.update_bytes / (device.memory_bandwidth_gb_s * 1e6);
        for (const PartCount& part : run.parts) {
          const PartRows& rows = set.parts[static_cast<std::size_t>(part.family)];
          device_ms += static_cast<double>(part.repeats) * factor * physical_ms(rows, part.row);
        }
        device_ms += run.host.kernels * 0.003;
        const double host_ms = 2 + 0.02 * run.host.kernels + 0.008 * run.host.update_kernels;
        run.measured_ms =
            std::pow(std::pow(device_ms, 4) + std::pow(host_ms, 4), 0.25) + run.host.input_bytes / 5e6;
      }
    }
  }
  return set;
}

// The parts of one class of operations of the largest run of VGG11, as a layer.
MeasuredRun as_layer(const RunSet& set, StepOperation operation) {
  constexpr std::size_t kLargestVgg = 11;
  REQUIRE(set.runs[kLargestVgg].network == "vgg11");
  MeasuredRun layer = set.runs[kLargestVgg];
  layer.is_layer = true;
  layer.network.clear();
  std::erase_if(layer.parts, [&](const PartCount& part) {
    const PartRows& rows = set.parts[static_cast<std::size_t>(part.family)];
    return rows.operation[static_cast<std::size_t>(part.row)] != operation;
  });
  REQUIRE_FALSE(layer.parts.empty());
  return layer;
}

RunTrainSettings quick_settings() {
  RunTrainSettings settings;
  settings.options.hidden = {16};
  settings.options.epochs = 60;
  settings.options.batch_runs = 6;
  settings.members = 1;
  settings.folds = 3;
  settings.has_known_devices = false;
  return settings;
}

}  // namespace

TEST_CASE("run training: known factors and overheads are recovered on networks left out") {
  const RunTrainer* trainer = load_torch_run_trainer();
  if (trainer == nullptr) {
    std::cout << "SKIPPED: built without libtorch\n";
    return;
  }
  const RunSet set = synthetic_runs();
  const auto held_out = cross_validate(set, LeaveOut::network, *trainer, quick_settings(), kSilent);
  REQUIRE(held_out.size() == set.runs.size());
  const std::vector<RunErrors> errors = run_errors(set, held_out);
  REQUIRE(errors.front().group == "all");
  CHECK(errors.front().mape < 0.15);
  CHECK(ordered_pairs(set, held_out) > 0.9);
}

TEST_CASE("run training: how far a generation stays behind its sheets carries over to its other cards") {
  const RunTrainer* trainer = load_torch_run_trainer();
  if (trainer == nullptr) return;
  const RunSet set = synthetic_runs({"k40", "k80", "m40", "v100-sxm2"}, 3);
  std::vector<std::size_t> known, unseen;
  for (std::size_t i = 0; i < set.runs.size(); ++i)
    (set.setting(set.runs[i]).device->key == "k80" ? unseen : known).push_back(i);
  const RunModel model = fit_runs(set, known, *trainer, quick_settings(), "runs", kSilent);
  const std::vector<RunPrediction> predicted = predict_runs(model, set, unseen);
  double log_sum = 0;
  for (std::size_t i = 0; i < unseen.size(); ++i)
    log_sum += std::log(predicted[i].ms / set.runs[unseen[i]].measured_ms);
  // Two thirds of it at least: the priors leave some to the card.
  CHECK(std::abs(log_sum / static_cast<double>(unseen.size())) < std::log(3) / 3);
}

TEST_CASE("run training: a model tells its intervals and errors, and predicts as its set says") {
  const RunTrainer* trainer = load_torch_run_trainer();
  if (trainer == nullptr) return;
  const RunSet set = synthetic_runs();
  RunTrainSettings settings = quick_settings();
  settings.options.epochs = 5;
  settings.folds = 2;
  settings.members = 2;
  const TrainedRuns trained = train_runs(set, *trainer, settings, kSilent);
  CHECK(trained.networks.size() == set.runs.size());
  CHECK(trained.devices.size() == set.runs.size());
  const RunModel& model = trained.model;
  REQUIRE(model.networks.size() == 3);
  CHECK(model.networks.front().members.size() == 2);
  CHECK(model.knows("k80", "tf2.5"));
  CHECK_FALSE(model.knows("k80", "pytorch1.4"));
  CHECK(run_half_width(model, "tf2.5", RunNovelty::none) > 0);
  CHECK(run_half_width(model, "tf2.5", RunNovelty::device) > 0);
  double runs = 0;
  for (const KnownRuns& known : model.known) runs += static_cast<double>(known.held_out_runs);
  CHECK(runs == static_cast<double>(set.runs.size()));
  CHECK(model.specialists.empty());
  for (const RunPrediction& run : predict_runs(model, set, {0, 5, 17})) CHECK(run.ms > 0);
}

TEST_CASE("run training: how a step divides among its operations is learned from profiles") {
  const RunTrainer* trainer = load_torch_run_trainer();
  if (trainer == nullptr) return;
  // The profiles claim four times the time for poolings, in runs of the same length.
  RunSet set = synthetic_runs({"k80"});
  for (MeasuredRun& run : set.runs) {
    for (const PartCount& part : run.parts) {
      const PartRows& rows = set.parts[static_cast<std::size_t>(part.family)];
      const auto operation = rows.operation[static_cast<std::size_t>(part.row)];
      if (!operation) continue;
      const double claim = *operation == StepOperation::pool ? 4 : 1;
      run.operations_ms.at(static_cast<std::size_t>(*operation)) +=
          claim * static_cast<double>(part.repeats) * physical_ms(rows, part.row);
    }
  }
  const MeasuredRun poolings = as_layer(set, StepOperation::pool);
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < set.runs.size(); ++i) all.push_back(i);
  RunTrainSettings settings = quick_settings();
  const auto poolings_ms = [&](double weight) {
    settings.options.operation_weight = weight;
    const RunModel model = fit_runs(set, all, *trainer, settings, "runs", kSilent);
    RunSet with_poolings = set;
    with_poolings.runs.push_back(poolings);
    return predict_runs(model, with_poolings, {set.runs.size()}).front().ms;
  };
  const double learned_ms = poolings_ms(0.3);
  CHECK(learned_ms > 2 * poolings_ms(0));
  settings.options.correction_weight = 1;
  CHECK(poolings_ms(0.3) < learned_ms / 1.5);
}

TEST_CASE("run training: single layers teach beside the runs, convolutions as often as asked") {
  const RunTrainer* trainer = load_torch_run_trainer();
  if (trainer == nullptr) return;
  RunSet set = synthetic_runs({"k80"});
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < set.runs.size(); ++i) all.push_back(i);
  // By themselves both take five times what the runs say.
  for (const StepOperation operation : {StepOperation::conv_weight_gradient, StepOperation::product}) {
    MeasuredRun layer = as_layer(set, operation);
    layer.measured_ms = 0;
    for (const PartCount& part : layer.parts) {
      layer.measured_ms += 5 * 1.7 * static_cast<double>(part.repeats) *
                           physical_ms(set.parts[static_cast<std::size_t>(part.family)], part.row);
    }
    all.push_back(set.runs.size());
    set.runs.push_back(layer);
  }
  RunTrainSettings settings = quick_settings();
  settings.options.layer_weight = 3;
  const auto gradients_ms = [&](double draws) {
    settings.options.convolution_draws = draws;
    const RunModel model = fit_runs(set, all, *trainer, settings, "runs", kSilent);
    return predict_runs(model, set, {set.runs.size() - 2}).front().ms;
  };
  CHECK(gradients_ms(3) > 1.5 * gradients_ms(0));
}

TEST_CASE("run training: known devices are answered for by a model that sees all of them") {
  const RunTrainer* trainer = load_torch_run_trainer();
  if (trainer == nullptr) return;
  const RunSet set = synthetic_runs();
  RunTrainSettings settings = quick_settings();
  settings.options.epochs = 2;
  settings.has_known_devices = true;
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < set.runs.size(); ++i) all.push_back(i);
  const RunModel model = fit_runs(set, all, *trainer, settings, "runs", kSilent);
  REQUIRE(model.specialists.size() == 1);
  CHECK(&model.specialist("t4", "tf2.5") == &model.specialists.front());
  CHECK(&model.specialist("p100-pcie", "tf2.5") == &model);
  CHECK(&model.specialist("t4", "pytorch2.1") == &model);
  CHECK(model.networks.front().device_view == DeviceView::transferable);
  CHECK(model.networks.front().machines.size() == 2);
  CHECK(model.specialists.front().networks.front().device_view == DeviceView::full);
  CHECK(model.specialists.front().networks.front().factor_weights.empty());
}

TEST_CASE("run training: the features that runs teach are features of their families") {
  for (const char* name : {"conv", "gemm"}) {
    const FeatureFamily& family = *find_feature_family(name);
    std::size_t learned = 0;
    for (const FeatureSpec& feature : family.features)
      learned += is_learned_from_runs(family, feature.name) ? 1 : 0;
    CHECK(learned == (std::string(name) == "conv" ? 35U : 17U));
    CHECK_FALSE(is_learned_from_runs(family, "no_such_feature"));
  }
}

TEST_CASE(
    "run training: runs of one network on one device, without convolutions, give a model all the same") {
  const RunTrainer* trainer = load_torch_run_trainer();
  if (trainer == nullptr) return;
  RunSet set;
  RunSetBuilder builder(set);
  const Device k80 = DeviceDb().find("k80");
  for (const std::int64_t batch : {4, 16, 64}) {
    MeasuredRun& run = builder.add(network_of("mlp", batch), {.device = &k80, .stack = "tf2.5"}, 1);
    run.network = run.network_family = "mlp";
    run.measured_ms = 2 + 0.1 * static_cast<double>(batch);
  }
  RunTrainSettings settings = quick_settings();
  settings.options.epochs = 2;
  const TrainedRuns trained = train_runs(set, *trainer, settings, kSilent);
  CHECK(trained.networks.empty());
  CHECK(trained.devices.empty());
  CHECK(trained.model.network("conv") == nullptr);
  CHECK(trained.model.network("gemm") != nullptr);
  CHECK(run_half_width(trained.model, "tf2.5", RunNovelty::none) == Approx(std::log(2.0)));
  CHECK(run_half_width(trained.model, "tf2.5", RunNovelty::device) == Approx(std::log(2.0)));
  CHECK_THROWS_WITH(cross_validate(set, LeaveOut::gpu, *trainer, settings, kSilent),
                    "the runs are all of one gpu: none can be left out");
}

TEST_CASE("run training: without whole runs there is nothing to train") {
  const RunTrainer* trainer = load_torch_run_trainer();
  if (trainer == nullptr) return;
  RunSet set = synthetic_runs();
  for (MeasuredRun& run : set.runs) run.is_layer = true;
  CHECK_THROWS_AS(fit_runs(set, {0, 1}, *trainer, quick_settings(), "runs", kSilent), Error);
}
