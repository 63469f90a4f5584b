// `hybrid` on made-up measurements of a small network, whose convolutions and rest are known.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

#include "hwdb/device_db.h"
#include "sim/cli/hybrid_output.h"
#include "sim/core/error.h"
#include "tests/even_predictor.h"
#include "tests/store/temporary_folder.h"
#include "trainers/methods/hybrid_training.h"
#include "trainers/xgboost_module.h"

using namespace layersim;
using namespace layersim::tests;

namespace {

const std::string kHeader =
    "gpu,framework,precision,mode,batch,input_size,in_channels,out_channels,kernel,stride,pad,groups,"
    "activation,"
    "time_ms,forward_ms,backward_ms\n";

std::string row(const std::string& mode, int batch, const std::string& times,
                const std::string& framework = "cudnn") {
  return "t4," + framework + ",fp32," + mode + ',' + std::to_string(batch) + ",56,64,64,3,1,1,1,none," +
         times + '\n';
}

Problem conv(std::int64_t batch, std::int64_t bias = 0) {
  const LayerKind& kind = *find_layer_kind("conv");
  Problem problem = make_problem(kind, DType::f32,
                                 {{"batch", batch},
                                  {"in_channels", 64},
                                  {"out_channels", 64},
                                  {"bias", bias},
                                  {"in_h", 56},
                                  {"in_w", 56},
                                  {"kernel_h", 3},
                                  {"kernel_w", 3},
                                  {"pad_begin_h", 1},
                                  {"pad_begin_w", 1},
                                  {"pad_end_h", 1},
                                  {"pad_end_w", 1}});
  kind.derive(problem);
  return problem;
}

ConvTimes times_of(const TemporaryFolder& folder, const std::string& rows) {
  return read_conv_times(folder.write("rows.csv", kHeader + rows), false);
}

}  // namespace

TEST_CASE("a convolution is found by its exact configuration, all passes of the step added") {
  const TemporaryFolder folder;
  const ConvTimes times =
      times_of(folder, row("forward", 8, "1,,") + row("forward", 8, "1.2,,") + row("forward", 8, "9,,") +
                           row("backward_data", 8, "2,,") + row("backward_filter", 8, "3,,") +
                           row("forward", 16, "7,,") + row("training", 32, "20,4,12") +
                           row("training", 32, "30,5,13", "other"));
  CHECK(times.rows() == 8);
  const Device device = DeviceDb().find("t4");
  Conditions conditions{
      .device = &device, .mode = Mode::forward, .optimizer = Optimizer::none, .stack = "cudnn"};
  CHECK(times.find(conv(8), conditions, {}) == Approx(1.2));  // the median
  CHECK(times.find(conv(8, 1), conditions, {}) == Approx(1.2));
  CHECK_FALSE(times.find(conv(9), conditions, {}));
  conditions.mode = Mode::training;
  CHECK(times.find(conv(8), conditions, {true, true}) == Approx(6.2));
  CHECK(times.find(conv(8), conditions, {false, true}) == Approx(4.2));
  CHECK_FALSE(times.find(conv(16), conditions, {true, true}));  // its gradients were not measured
  CHECK(times.find(conv(32), conditions, {true, true}) == Approx(16));
  CHECK(times.find(conv(32), conditions, {false, true}) == Approx(10));
  conditions.stack = "tf2.5";  // of no software that was measured: the median of all
  CHECK(times.find(conv(32), conditions, {true, true}) == Approx(17));
  const Device other = DeviceDb().find("k80");
  conditions.device = &other;
  CHECK_FALSE(times.find(conv(8), conditions, {true, true}));
}

TEST_CASE(
    "rows with a fused activation do not count, and a store that lacks is empty where that is allowed") {
  const TemporaryFolder folder;
  const std::string fused = "t4,cudnn,fp32,forward,8,56,64,64,3,1,1,1,relu,1,,\n";
  const ConvTimes times = times_of(folder, fused);
  CHECK(times.rows() == 0);
  CHECK(times.left_out() == std::map<std::string, std::size_t>{{"with an activation", 1}});
  CHECK(times.machines().empty());
  CHECK(read_conv_times(folder.file("none.h5"), true).rows() == 0);
  CHECK_THROWS_AS(read_conv_times(folder.file("none.h5"), false), Error);
}

namespace {

Run run_of(const std::string& network, std::int64_t batch, double measured_ms, const char* gpu = "t4") {
  const auto device = std::make_shared<const Device>(DeviceDb().find(gpu));
  Run run;
  run.network = run.network_name = network;
  run.device = device;
  run.stack = "cudnn";
  run.batch = batch;
  run.measured_ms = measured_ms;
  run.plan = make_plan(run.parallel, *device, batch);
  return run;
}

// Without a measured convolution.
HybridStep take_apart(const Run& run) {
  const EvenPredictor predictor;
  const ConvTimes none;
  return HybridSteps(none, predictor).take_apart(run);
}

}  // namespace

TEST_CASE("a step: convolutions of the store are taken, the others predicted, counted and listed") {
  const TemporaryFolder folder;
  const EvenPredictor predictor;
  const ConvTimes none;
  HybridSteps without(none, predictor);
  const HybridStep all_missing = without.take_apart(run_of("vgg11", 4, 50));
  CHECK(all_missing.convolutions.stored == 0);
  CHECK(all_missing.convolutions.predicted == 8);
  CHECK(all_missing.conv_ms == Approx(8 * 4));  // 1 ms forward, 3 ms backward
  const ProblemList list = list_missing({all_missing, all_missing});
  CHECK(list.problems == 7);  // the last two are alike
  CHECK(list.not_told == 0);

  // Measured, they come from the store.
  std::string rows = list.csv;
  std::string measured;
  std::size_t line = 0;
  for (std::size_t begin = 0; begin < rows.size(); ++line) {
    const std::size_t end = rows.find('\n', begin);
    measured += rows.substr(begin, end - begin) +
                (line == 0 ? ",gpu,framework,time_ms,forward_ms,backward_ms\n" : ",t4,cudnn,9,2,5\n");
    begin = end + 1;
  }
  const ConvTimes stored = read_conv_times(folder.write("measured.csv", measured), false);
  HybridSteps with(stored, predictor);
  const HybridStep hit = with.take_apart(run_of("vgg11", 4, 50));
  CHECK(hit.convolutions.stored == 8);
  CHECK(hit.convolutions.predicted == 0);
  CHECK(hit.missing.empty());
  // The first gives no gradient to its input.
  CHECK(hit.conv_ms == Approx(7 * 7 + 2 + 2.5));
  CHECK(hit.stored_ms == Approx(hit.conv_ms));
  CHECK(hit.rest.part_ms.size() == rest_part_names().size());
  CHECK(hit.rest.features.size() == rest_feature_names().size());
}

namespace {

double sheet_ms(const StepRest& rest) {
  return std::accumulate(rest.part_ms.begin(), rest.part_ms.end(), 0.0);
}

// Nothing, and a line that says so, where the program was built without XGBoost.
const TreeTrainer* tree_trainer() {
  try {
    return &load_tree_trainer();
  } catch (const Error&) {
    WARN("SKIPPED: built without XGBoost");
    return nullptr;
  }
}

double part_ms(const HybridStep& step, const std::string& part) {
  const std::vector<std::string> names = rest_part_names();
  return step.rest.part_ms.at(
      static_cast<std::size_t>(std::find(names.begin(), names.end(), part) - names.begin()));
}

}  // namespace

TEST_CASE("the rest is learned: a step is its convolutions and twice the base of the other layers") {
  std::vector<HybridStep> measured;
  for (const char* network : {"vgg11", "vgg13", "vgg16"}) {
    for (const std::int64_t batch : {2, 4, 8}) {
      HybridStep step = take_apart(run_of(network, batch, 1));
      step.measured_ms = step.conv_ms + 2 * sheet_ms(step.rest);
      measured.push_back(std::move(step));
    }
  }
  const TreeTrainer* trees = tree_trainer();
  if (trees == nullptr) return;
  const HybridModel model = train_hybrid(measured, *trees, 1);
  CHECK(model.left_out_mape < 0.01);
  CHECK(model.networks.size() == 3);
  CHECK(model.stored_share == 0);
  CHECK(model.predict_ms(measured[0].conv_ms, measured[0].rest) ==
        Approx(measured[0].measured_ms).epsilon(0.01));
  const ErrorTable errors = evaluate_hybrid_left_out(measured, HybridLeftOut::batch, *trees, 1);
  CHECK(errors.rows.size() == 9);
  CHECK(group_rows(errors, 0, 0).front().errors.mape < 0.01);

  const TemporaryFolder folder;
  write_hybrid_model(model, folder.file("hybrid.h5"));
  const HybridModel read = read_hybrid_model(folder.file("hybrid.h5"));
  CHECK(read.predict_ms(5, measured[0].rest) == Approx(model.predict_ms(5, measured[0].rest)));
  CHECK(read.networks == model.networks);
  REQUIRE(read.factors.size() == model.factors.size());
  for (std::size_t i = 0; i < read.factors.size(); ++i) CHECK(read.factors[i] == Approx(model.factors[i]));
  CHECK_THROWS_AS(train_hybrid({measured[0]}, *trees, 1), Error);
}

TEST_CASE("each kind of layer has a factor of its own, and holds for a network with another mix of them") {
  const TreeTrainer* trees = tree_trainer();
  if (trees == nullptr) return;
  std::vector<HybridStep> measured;
  for (const char* network : {"vgg11", "alexnet", "squeezenet1_1", "resnet18"}) {
    for (const std::int64_t batch : {2, 8, 32}) {
      HybridStep step = take_apart(run_of(network, batch, 1));
      step.measured_ms =
          step.conv_ms + sheet_ms(step.rest) + 4 * part_ms(step, "dense") + 200 * part_ms(step, "windows");
      measured.push_back(std::move(step));
    }
  }
  const ErrorTable errors = evaluate_hybrid_left_out(measured, HybridLeftOut::network, *trees, 1);
  CHECK(group_rows(errors, 0, 0).front().errors.mape < 0.06);
}

TEST_CASE("a model of runs in both modes tells them apart, one of training steps alone does not") {
  const TreeTrainer* trees = tree_trainer();
  if (trees == nullptr) return;
  std::vector<HybridStep> measured;
  for (const char* network : {"vgg11", "alexnet", "squeezenet1_1", "resnet18"}) {
    for (const std::int64_t batch : {2, 4, 8, 16}) {
      for (const Mode mode : {Mode::forward, Mode::training}) {
        Run run = run_of(network, batch, 1);
        run.mode = mode;
        if (mode == Mode::forward) run.optimizer = Optimizer::none;
        HybridStep step = take_apart(run);
        step.measured_ms = step.conv_ms + (mode == Mode::forward ? 1 : 4) * sheet_ms(step.rest);
        measured.push_back(std::move(step));
      }
    }
  }
  CHECK(train_hybrid(measured, *trees, 1).tells_modes());
  std::erase_if(measured, [](const HybridStep& step) { return step.mode == Mode::forward; });
  CHECK_FALSE(train_hybrid(measured, *trees, 1).tells_modes());
}

TEST_CASE("the interval is wider for a GPU and for a network that were not learned from") {
  const TreeTrainer* trees = tree_trainer();
  if (trees == nullptr) return;
  std::vector<HybridStep> measured;
  for (const char* gpu : {"t4", "v100-sxm2", "m60"}) {
    for (const char* network : {"vgg11", "alexnet", "squeezenet1_1"}) {
      for (const std::int64_t batch : {2, 8}) {
        HybridStep step = take_apart(run_of(network, batch, 1, gpu));
        step.measured_ms = step.conv_ms + (step.gpu == "t4" ? 3 : 1) * sheet_ms(step.rest);
        measured.push_back(std::move(step));
      }
    }
  }
  const HybridModel model = train_hybrid(measured, *trees, 1);
  CHECK(model.new_gpu_half_width > model.half_width);
  const TemporaryFolder folder;
  write_hybrid_model(model, folder.file("hybrid.h5"));
  const HybridModel read = read_hybrid_model(folder.file("hybrid.h5"));
  CHECK(read.interval_ms(10, "vgg16", "t4").high == Approx(10 * std::exp(model.half_width)));
  CHECK(read.interval_ms(10, "vgg16", "h100-sxm").high == Approx(10 * std::exp(model.new_gpu_half_width)));

  // Of one network only batches were left out, of one GPU none.
  std::erase_if(measured, [](const HybridStep& step) { return step.network != "vgg11" || step.gpu != "t4"; });
  const HybridModel one = train_hybrid(measured, *trees, 1);
  CHECK(one.interval_ms(10, "vgg11", "t4").high == Approx(10 * std::exp(one.half_width)));
  CHECK(one.interval_ms(10, "vgg16", "t4").high > 19);
  CHECK(one.interval_ms(10, "vgg11", "k80").high > 19);
}

TEST_CASE("the table of predictions keeps GPU and interval beside a long name of a network") {
  HybridStep step = take_apart(run_of("alexnet", 2, 0));
  step.network = "a/folder/with/a/rather/long/name/and/another/one/in/it/alexnet_of_ours.onnx";
  const std::string text = prediction_text(read_hybrid_model(shipped_hybrid_file()), {step});
  const std::string header = text.substr(0, text.find('\n'));
  for (const char* column : {"GPU", "batch", "time ms", "90 % from", "to"})
    CHECK_THAT(header, Catch::Contains(column));
  CHECK_THAT(text, Catch::Contains("of_ours.onnx"));
}
