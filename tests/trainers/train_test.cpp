#include "trainers/train.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <iostream>

#include "sim/core/error.h"
#include "tests/trainers/measured_samples.h"
#include "trainers/sample_prediction.h"
#include "trainers/trainer_list.h"

using namespace layersim;

namespace {

const TrainReport kSilent = [](const std::string&, const TrainingProgress&) {};

bool have_trainer(const std::string& name) {
  if ((", " + trainer_names() + ",").find(", " + name + ",") != std::string::npos) return true;
  std::cout << "SKIPPED: built without the trainer " << name << '\n';
  return false;
}

double mape(const TrainedNetwork& network, const SampleSet& set, const std::vector<std::size_t>& samples) {
  const auto estimates = predict_samples(network, set, samples);
  double sum = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    sum += std::abs(std::exp(static_cast<double>(estimates[i].log_ms)) / set.samples[samples[i]].time_ms - 1);
  }
  return sum / static_cast<double>(samples.size());
}

double held_out_mape(const TrainedNetwork& network) {
  double sum = 0;
  double rows = 0;
  for (const KnownRows& known : network.known) {
    sum += known.held_out_mape * static_cast<double>(known.held_out_rows);
    rows += static_cast<double>(known.held_out_rows);
  }
  return sum / rows;
}

void check_learns(const std::string& trainer) {
  const SampleSet set = tests::softmax_samples(1500);
  TrainSettings settings;
  settings.epochs = 15;  // enough for a law so plain
  settings.members = 1;
  double best = 1e9;
  // The networks that are trained for the intervals have names of their own.
  const auto networks = train_networks(set, find_trainer(trainer), settings,
                                       [&](const std::string& name, const TrainingProgress& progress) {
                                         if (name != "rowwise@*") return;
                                         best = std::min(best, progress.validation_mape);
                                       })
                            .networks;
  REQUIRE(networks.size() == 1);
  const TrainedNetwork& network = networks.front();
  CHECK(network.gpus == std::vector<std::string>{"k80", "v100-sxm2"});
  CHECK(held_out_mape(network) < 0.03);

  // What the trainer said of its validation rows, the engine says too.
  std::vector<std::size_t> validation;
  for (std::size_t i = 0; i < set.samples.size(); ++i) {
    const double position = split_position(set.samples[i].configuration, settings.seed);
    if (position >= settings.test_share && position < settings.test_share + 0.8 * settings.validation_share) {
      validation.push_back(i);
    }
  }
  CHECK(mape(network, set, validation) == Approx(best).margin(1e-6));
}

void check_repeats(const std::string& trainer) {
  const SampleSet set = tests::softmax_samples(400);
  TrainSettings settings;
  settings.epochs = 3;
  const auto first = train_networks(set, find_trainer(trainer), settings, kSilent).networks;
  const auto second = train_networks(set, find_trainer(trainer), settings, kSilent).networks;
  settings.seed = 2;
  const auto other = train_networks(set, find_trainer(trainer), settings, kSilent).networks;
  const auto& weights = first.front().members.front().front().weights;
  CHECK(weights == second.front().members.front().front().weights);
  CHECK(weights != other.front().members.front().front().weights);
}

}  // namespace

TEST_CASE("libtorch: a network learns the law of its rows, and the engine repeats what it says") {
  if (have_trainer("libtorch")) check_learns("libtorch");
}

TEST_CASE("libtorch: the same seed gives the same weights") {
  if (have_trainer("libtorch")) check_repeats("libtorch");
}

TEST_CASE("tiny-dnn: a network learns the law of its rows, and the engine repeats what it says") {
  if (have_trainer("tiny_dnn")) check_learns("tiny_dnn");
}

TEST_CASE("tiny-dnn: the same seed gives the same weights") {
  if (have_trainer("tiny_dnn")) check_repeats("tiny_dnn");
}

TEST_CASE("the linear trainer finds a line through launch and work of each device") {
  SampleSet set;
  const std::int32_t devices[] = {tests::add_device(set, "k80"), tests::add_device(set, "v100-sxm2")};
  const std::int32_t stack = tests::add_stack(set, "tf1.10");
  for (std::int64_t i = 0; i < 2000; ++i) {
    const Problem problem =
        make_problem(*find_layer_kind("dense"), DType::f32,
                     {{"rows", 1 + i % 64}, {"in_features", 100 + i}, {"out_features", 777}});
    // The first device has few rows: its one-hot is beyond the limit of normalised features.
    const std::size_t device = i % 100 == 0 ? 0 : 1;
    Sample& sample = tests::add_sample(set, problem, devices[device], stack);
    sample.time_ms =
        device == 0 ? 0.3 + 4e-9 * sample.work.forward.macs : 0.1 + 1e-9 * sample.work.forward.macs;
  }
  const auto networks = train_networks(set, find_trainer("linear"), {}, kSilent).networks;
  CHECK(held_out_mape(networks.front()) < 1e-4);
}

TEST_CASE("training needs rows of the kinds asked for, and enough of them") {
  TrainSettings settings;
  settings.kinds = {"conv"};
  CHECK_THROWS_AS(train_networks(tests::softmax_samples(500), find_trainer("linear"), settings, kSilent),
                  Error);
  CHECK_THROWS_AS(train_networks(tests::softmax_samples(20), find_trainer("linear"), {}, kSilent), Error);
  CHECK_THROWS_AS(find_trainer("oracle"), Error);
}

TEST_CASE("families with too few rows are named and the others trained") {
  SampleSet set = tests::softmax_samples(300);
  const std::int32_t stack = tests::add_stack(set, "tf1.10");
  for (std::int64_t i = 0; i < 40; ++i) {
    tests::add_sample(set,
                      make_problem(*find_layer_kind("dense"), DType::f32,
                                   {{"rows", 1 + i}, {"in_features", 100 + i}, {"out_features", 7}}),
                      0, stack)
        .time_ms = 1;
  }
  const TrainingResult result = train_networks(set, find_trainer("linear"), {}, kSilent);
  REQUIRE(result.networks.size() == 1);
  CHECK(result.networks.front().family == "rowwise");
  REQUIRE(result.untrained.size() == 1);
  CHECK(result.untrained.front().name == "gemm@tf");
  CHECK(result.untrained.front().samples.size() == 40);
  CHECK_THAT(result.untrained.front().reason,
             Catch::StartsWith("40 rows, ") && Catch::EndsWith("the least is 50"));
}
