// The transfer method on generated profiles: a world in which each class of operations has its own ratio
// between two devices.

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "hwdb/device_db.h"
#include "sim/core/error.h"
#include "sim/methods/transfer/operation_classes.h"
#include "sim/methods/transfer/transfer_model.h"
#include "tests/store/temporary_folder.h"
#include "trainers/methods/nonnegative_fit.h"
#include "trainers/methods/size_scaling_fit.h"
#include "trainers/methods/transfer_training.h"

using namespace layersim;
using namespace layersim::tests;

namespace {

OperationProfile profile(const std::string& gpu, const std::string& network, std::int64_t batch,
                         double conv_ms, double relu_ms) {
  OperationProfile result;
  result.gpu = gpu;
  result.network = network;
  result.batch = batch;
  result.pixel = 32;
  result.steps = 2;
  result.device = {{"Conv2D", 2 * conv_ms, 0}, {"Relu", 2 * relu_ms, 0}};
  result.device_idle_ms = 0;
  result.step_ms = conv_ms + relu_ms;
  return result;
}

// On a v100-sxm2 convolutions take 1/8 of the time on a k80, activations 1/3.
TransferSet two_devices() {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> size(0.5, 40);
  std::vector<OperationProfile> profiles;
  for (const char* network : {"a", "b", "c", "d"}) {
    const double share = size(random) / 40;
    for (std::int64_t batch = 16; batch <= 256; batch *= 2) {
      const double time_ms = size(random) + static_cast<double>(batch);
      const double conv_ms = share * time_ms;
      const double relu_ms = (1 - share) * time_ms + 0.1;
      profiles.push_back(profile("k80", network, batch, conv_ms, relu_ms));
      profiles.push_back(profile("v100-sxm2", network, batch, conv_ms / 8, relu_ms / 3));
    }
  }
  TransferSet set;
  set.add("generated", profiles);
  return set;
}

}  // namespace

TEST_CASE("names of operations belong to classes, new ones by clustering") {
  CHECK(canonical_operation("aten::cudnn_convolution") == "cudnnconvolution");
  CHECK(canonical_operation("Conv2DBackpropInput") == "conv2dbackpropinput");
  const auto class_of = [](const char* name) {
    return operation_classes()[match_operation(name).operation_class].name;
  };
  CHECK(class_of("conv2d_backprop_filter") == "convolution_filter_gradient");
  CHECK(class_of("FusedBatchNormGradV3") == "batch_norm_gradient");
  CHECK(class_of("aten::addmm") == "matrix_product");
  CHECK(match_operation("Conv2D").is_known);

  const OperationMatch newer = match_operation("DepthwiseConv2dNativeBackpropInputV2");
  CHECK_FALSE(newer.is_known);
  CHECK(newer.mapped_to == "depthwiseconv2dnativebackpropinput");
  CHECK(class_of("DepthwiseConv2dNativeBackpropInputV2") == "depthwise_convolution");
  const OperationMatch strange = match_operation("volta_sgemm_128x64_nn");
  CHECK_FALSE(strange.is_known);
  CHECK(strange.mapped_to.empty());
  CHECK(class_of("volta_sgemm_128x64_nn") == "other");
}

TEST_CASE("an input fills its step: a trace that was cut off does not shrink") {
  OperationProfile whole = profile("k80", "a", 16, 6, 2);
  const TransferInput input = transfer_input(whole);
  CHECK(input.step_ms == Approx(8));
  CHECK(input.linear[0] == Approx(6));
  whole.device[0].time_ms /= 2;
  whole.device[1].time_ms /= 2;
  CHECK(transfer_input(whole).linear[0] == Approx(6));
  whole.step_ms.reset();
  CHECK(transfer_input(whole).step_ms == Approx(4));
  whole.steps = 0;
  CHECK_THROWS_WITH(transfer_input(whole), Catch::Contains("--steps"));
  whole.steps = 1;
  whole.device.clear();
  CHECK_THROWS_WITH(transfer_input(whole), Catch::Contains("no time on a device"));
}

TEST_CASE("the linear regression finds factors, keeps them at 0 or above, and takes the prior without rows") {
  NonnegativeFit fit;
  fit.columns = 3;
  fit.prior = {1, 1, 0.7};
  fit.prior_weight = 1e-4;
  for (int i = 1; i < 40; ++i) {
    const double a = i % 7 + 1;
    const double b = i % 5 + 1;
    fit.inputs.insert(fit.inputs.end(), {a, b, 0});
    fit.values.push_back(2 * a + 0.001 * b);
  }
  const auto factors = fit.solve();
  CHECK(factors[0] == Approx(2).epsilon(0.01));
  CHECK(factors[1] == Approx(0.001).margin(0.02));
  CHECK(factors[1] >= 0);
  CHECK(factors[2] == Approx(0.7));
}

TEST_CASE("times between two sizes") {
  const SizeScaling bent{"t4", SizeAxis::batch, 0.5};
  CHECK(scale_time(bent, {16, 10}, {48, 30}, 16) == Approx(10));
  CHECK(scale_time(bent, {16, 10}, {48, 30}, 48) == Approx(30));
  CHECK(scale_time(bent, {16, 10}, {48, 30}, 32) == Approx(10 + 20 * (0.5 - 0.5 * 0.25)));
  CHECK(scale_time({"t4", SizeAxis::pixel, 0}, {1, 0}, {3, 8}, 2) == Approx(3));
  CHECK_THROWS_AS(scale_time(bent, {16, 10}, {48, 30}, 64), Error);

  // Times with a known curvature give it back, those of the network left out do not count.
  std::vector<SizeSeries> series;
  for (const char* network : {"a", "b", "odd"}) {
    SizeSeries one{"t4", network, {}};
    const double curvature = std::string(network) == "odd" ? -0.9 : 0.3;
    for (const double size : {16., 32., 64., 128.})
      one.times.push_back({size, scale_time({"t4", SizeAxis::batch, curvature}, {16, 5}, {128, 50}, size)});
    series.push_back(one);
  }
  CHECK(fit_size_scaling(series, "t4", SizeAxis::batch, "odd").curvature == Approx(0.3));
  CHECK(fit_size_scaling(series, "k80", SizeAxis::batch, "").curvature == 0);
}

TEST_CASE("a trained model predicts networks that it has not seen, and its file gives the same") {
  const TransferSet set = two_devices();
  CHECK(set.gpus() == std::vector<std::string>{"k80", "v100-sxm2"});
  const DeviceDb devices;
  const TransferTrainers trainers = load_transfer_trainers(1);
  const auto rows = leave_one_network_out(set, devices.find("k80"), devices.find("v100-sxm2"), trainers);
  REQUIRE(rows.size() == 20);
  double error = 0;
  double scaled_error = 0;
  for (const LeftOutRow& row : rows) {
    const TransferPrediction& p = row.prediction;
    CHECK(p.low_ms <= p.batch_ms);
    CHECK(p.batch_ms <= p.high_ms);
    // The median of the three.
    CHECK((p.dense_ms - p.batch_ms) * (p.forest_ms - p.batch_ms) * (p.linear_ms - p.batch_ms) ==
          Approx(0).margin(1e-12));
    error += std::abs(p.batch_ms / row.measured_ms - 1) / 20;
    scaled_error += std::abs(row.scaled_anchor_ms / row.measured_ms - 1) / 20;
  }
  CHECK(error < 0.05);
  CHECK(error < scaled_error / 4);

  int reports = 0;
  TransferModel model = train_transfer(set, trainers, [&](const TransferProgress& progress) {
    ++reports;
    CHECK(progress.pairs == 2);
  });
  CHECK(reports == 2);
  model.date = "2026-01-01T00:00:00Z";
  const TemporaryFolder folder;
  write_transfer_model(model, folder.file("transfer.h5"));
  const TransferModel read = read_transfer_model(folder.file("transfer.h5"));
  const TransferInput input = transfer_input(profile("k80", "new", 1, 30, 12));
  const double expected_ms = predict_transfer(model.pair("k80", "v100-sxm2"), input).batch_ms;
  CHECK(expected_ms == Approx(30. / 8 + 4).epsilon(0.08));
  CHECK(predict_transfer(read.pair("k80", "v100-sxm2"), input).batch_ms == Approx(expected_ms).epsilon(1e-5));
  CHECK(read.networks == std::vector<std::string>{"a", "b", "c", "d"});
  CHECK_THROWS_WITH(read.pair("k80", "t4"), Catch::Contains("targets k80, v100-sxm2"));
}

TEST_CASE("the interval grows with the share of operations of unknown names, up to half to twice the time") {
  const OperationProfile known = profile("k80", "a", 16, 6, 2);
  OperationProfile unknown = known;
  unknown.device[0].name = "volta_sgemm_128x64_nn";
  CHECK(transfer_input(known).unknown_share == 0);
  CHECK(transfer_input(unknown).unknown_share == Approx(0.75));
  unknown.device[1].name = "my_kernel_of_something";
  CHECK(transfer_input(unknown).unknown_share == Approx(1));

  const TransferModel model = train_transfer(two_devices(), load_transfer_trainers(1), [](auto&) {});
  const TransferPair& trained = model.pair("k80", "v100-sxm2");
  const auto width = [&](const OperationProfile& of) {
    const TransferPrediction prediction = predict_transfer(trained, transfer_input(of));
    return std::log(prediction.high_ms / prediction.batch_ms);
  };
  CHECK(width(known) == Approx(trained.half_width));
  CHECK(width(unknown) == Approx(std::max(trained.half_width, 0.69)));
}

TEST_CASE("a step that no training does is refused") {
  OperationProfile profile;
  profile.device = {{"Conv2D", 10, 1}};
  profile.steps = 10;
  CHECK(transfer_input(profile).step_ms == Approx(1));
  profile.steps = 1'000'000'000;
  CHECK_THROWS_WITH(transfer_input(profile), Catch::Contains("are the steps right?"));
  profile.steps = 1;
  profile.device = {{"Conv2D", 1e308, 1}, {"MatMul", 1e308, 1}};
  CHECK_THROWS_WITH(transfer_input(profile), Catch::Contains("a step takes inf ms"));
}
