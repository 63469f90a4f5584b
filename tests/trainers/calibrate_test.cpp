#include "trainers/calibrate.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "sim/core/error.h"
#include "tests/trainers/measured_samples.h"
#include "trainers/sample_prediction.h"
#include "trainers/train.h"
#include "trainers/trainer_list.h"
#include "trainers/virtual_device.h"

using namespace layersim;

namespace {

// A predictor for the softmax rows of two devices, and rows of a third: `factor` times what the predictor
// says of them, every second half as much again.
struct NewDevice {
  PredictorFile predictor;
  SampleSet set;
  std::vector<std::size_t> samples;
};

NewDevice new_device(std::size_t rows, double factor, const std::string& stack = "pytorch2.1") {
  NewDevice result;
  result.predictor.networks = train_networks(tests::softmax_samples(2000), find_trainer("linear"), {},
                                             [](const std::string&, const TrainingProgress&) {})
                                  .networks;
  const std::int32_t device = tests::add_device(result.set, "p100-pcie");
  const std::int32_t stack_index = tests::add_stack(result.set, stack);
  const LayerKind& softmax = *find_layer_kind("softmax");
  for (std::size_t i = 0; i < rows; ++i) {
    const auto size = static_cast<std::int64_t>(i);
    tests::add_sample(
        result.set,
        make_problem(softmax, DType::f32, {{"rows", 16 + 97 * size}, {"cols", 64 + 41 * (size * 7 % 64)}}),
        device, stack_index);
    result.samples.push_back(i);
  }
  const TrainedNetwork& network = result.predictor.networks.front();
  const auto estimates = predict_samples(network, result.set, result.samples);
  for (std::size_t i = 0; i < rows; ++i) {
    result.set.samples[i].time_ms =
        std::exp(static_cast<double>(estimates[i].log_ms)) * factor * (i % 2 == 0 ? 1 : 1.05);
  }
  return result;
}

double mape(const TrainedNetwork& network, const NewDevice& device) {
  const auto estimates = predict_samples(network, device.set, device.samples);
  double sum = 0;
  for (const std::size_t i : device.samples) {
    sum += std::abs(std::exp(static_cast<double>(estimates[i].log_ms)) / device.set.samples[i].time_ms - 1);
  }
  return sum / static_cast<double>(device.samples.size());
}

}  // namespace

TEST_CASE("a calibration makes a network that is wrong by a factor right on the rows and beside them") {
  NewDevice device = new_device(40, 1.6);
  TrainedNetwork network = device.predictor.networks.front();
  CHECK(mape(network, device) > 0.3);
  const std::vector<std::size_t> twenty(device.samples.begin(), device.samples.begin() + 20);
  network.calibrations = {fit_calibration(network, device.set, twenty)};
  CHECK(network.calibrations.front().gpu == "p100-pcie");
  CHECK(mape(network, device) < 0.05);  // half of it is the 5 % that the network cannot see
  // Other devices keep what they had.
  const SampleSet known = tests::softmax_samples(50);
  const std::vector<std::size_t> some{1, 2, 3};
  const auto before = predict_samples(device.predictor.networks.front(), known, some);
  const auto after = predict_samples(network, known, some);
  for (std::size_t i = 0; i < some.size(); ++i) CHECK(before[i].log_ms == after[i].log_ms);
}

TEST_CASE("calibrate: the error after is that of rows which the fit did not see") {
  NewDevice device = new_device(20, 0.5);
  PredictorFile predictor = device.predictor;
  const auto results = calibrate(predictor, device.set, device.samples);
  REQUIRE(results.size() == 1);
  CHECK(results[0].network == "rowwise@*");
  CHECK(results[0].stacks == std::set<std::string>{"pytorch2.1"});
  CHECK(results[0].rows == 20);
  CHECK(results[0].adapted);
  CHECK(results[0].mape_before == Approx(mape(device.predictor.networks.front(), device)));
  CHECK(results[0].mape_before > 0.8);
  CHECK(results[0].mape_after < 0.06);
  // A row that is ten times too slow is predicted by the others, so it stays a miss.
  device.set.samples[7].time_ms *= 10;
  PredictorFile other = device.predictor;
  CHECK(calibrate(other, device.set, device.samples)[0].mape_after > 0.9 / 20);

  const TrainedNetwork& network = predictor.networks.front();
  REQUIRE(network.calibrations.size() == 1);
  const auto known = std::find_if(network.known.begin(), network.known.end(),
                                  [](const KnownRows& rows) { return rows.gpu == "p100-pcie"; });
  REQUIRE(known != network.known.end());
  CHECK(known->rows == 20);
  CHECK(known->held_out_mape == Approx(results[0].mape_after));

  const std::size_t known_rows = network.known.size();
  CHECK(calibrate(predictor, device.set, device.samples).size() == 1);
  CHECK(predictor.networks.front().calibrations.size() == 1);
  CHECK(predictor.networks.front().known.size() == known_rows);
}

TEST_CASE("calibrate: intervals hold nine tenths of the rows that the fit did not see") {
  NewDevice device = new_device(60, 1.3);
  PredictorFile predictor = device.predictor;
  CHECK(calibrate(predictor, device.set, device.samples).front().adapted);
  const TrainedNetwork& network = predictor.networks.front();
  const auto left_out = cross_calibrated(network, device.set, device.samples);
  std::size_t inside = 0;
  for (const std::size_t i : device.samples) {
    const double miss =
        std::abs(static_cast<double>(left_out[i].log_ms) - std::log(device.set.samples[i].time_ms));
    const double width =
        static_cast<double>(left_out[i].log_half_width) * network.calibrations.front().width_factor;
    if (miss <= width) ++inside;
  }
  CHECK(inside >= 54);
  CHECK(inside < 60);
}

TEST_CASE("calibrate: too few rows change nothing; rows of another stack are taken as the nearest") {
  NewDevice few = new_device(4, 2);
  const auto results = calibrate(few.predictor, few.set, few.samples);
  REQUIRE(results.size() == 1);
  CHECK_FALSE(results[0].adapted);
  CHECK(results[0].mape_after == results[0].mape_before);
  CHECK(few.predictor.networks.front().calibrations.empty());

  NewDevice foreign = new_device(20, 2, "mxnet1.0");
  CHECK(calibrate(foreign.predictor, foreign.set, foreign.samples)[0].stacks ==
        std::set<std::string>{"pytorch2.1"});

  NewDevice other = new_device(5, 2);
  other.predictor.networks.clear();
  CHECK_THROWS_AS(calibrate(other.predictor, other.set, other.samples), Error);
}
