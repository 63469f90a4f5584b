#include "sim/predictors/run_model.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "hwdb/device_db.h"
#include "sim/predictors/run_stack.h"
#include "sim/predictors/run_warnings.h"
#include "sim/predictors/step_parts.h"

using namespace layersim;

namespace {

std::vector<StepPart> parts_of(const Problem& problem, Mode mode, bool input_gradient = true,
                               double gradient_sum_elements = 0, std::string_view stack = "tf2.5") {
  const LayerWork work = problem.kind->work(problem);
  const LayerQuery query{.problem = &problem,
                         .work = &work,
                         .learned_elements = work.weight_elements,
                         .needs_input_gradient = input_gradient,
                         .needs_weight_gradient = work.weight_elements > 0,
                         .gradient_sum_elements = gradient_sum_elements};
  std::vector<StepPart> parts;
  append_parts(query, 0, Conditions{.mode = mode, .stack = stack}, parts);
  return parts;
}

Problem dense() {
  return make_problem(*find_layer_kind("dense"), DType::f32,
                      {{"rows", 32}, {"in_features", 100}, {"out_features", 10}, {"bias", 1}});
}

Problem conv(Activation activation) {
  Problem problem =
      make_problem(*find_layer_kind("conv"), DType::f32,
                   {{"batch", 8}, {"in_channels", 3}, {"out_channels", 16}, {"in_h", 32}, {"in_w", 32}});
  problem.activation = activation;
  problem.kind->derive(problem);
  return problem;
}

RunModel some_model() {
  RunModel model;
  model.smoothness = 2;
  model.shifts = {{"", "", {0.5, 0, 0, 0, 0, 0}},
                  {"tf*", "", {0.25, 1, 0, 0, 0, 0}},
                  {"tf2.5", "k80", {0, 0.5, 0, 0, 0, 0}},
                  {"pytorch1.4", "", {7, 7, 7, 7, 7, 7}}};
  model.intervals = {{"", RunNovelty::none, 0.5},
                     {"tf*", RunNovelty::none, 0.25},
                     {"tf2.5", RunNovelty::none, 0.125},
                     {"", RunNovelty::layers, 0.625},
                     {"", RunNovelty::device, 0.75}};
  model.known = {{"k80", "tf2.5", "fp32", "training", 100, 100, 0.05, 0.9},
                 {"k80", "pytorch1.4", "fp32", "training", 100, 100, 0.04, 0.9},
                 {"t4", "tf2.5", "fp32", "training", 100, 100, 0.05, 0.9},
                 {"t4", "pytorch2.1", "fp32", "training", 4, 4, 0.05, 0.9},
                 {"v100-sxm2", "tf2.5", "fp32", "training", 20, 20, 0.3, 0.9},
                 {"v100-sxm2", "tf1.10", "fp32", "training", 30, 30, 0.3, 0.9}};
  return model;
}

}  // namespace

TEST_CASE("run model: dropout is a stream forward and one backward in training, and nothing in inference") {
  const Problem dropout = make_problem(*find_layer_kind("elementwise"), DType::f32,
                                       {{"elements", 1000},
                                        {"operand_elements", 1000},
                                        {"operands", 1},
                                        {"function", 8},
                                        {"output_bits", 32}});
  CHECK(parts_of(dropout, Mode::forward).empty());
  const std::vector<StepPart> parts = parts_of(dropout, Mode::training);
  REQUIRE(parts.size() == 2);
  CHECK_FALSE(parts[0].backward);
  CHECK(parts[1].backward);
  // 4 bytes are read and 4 written, and the mask's byte is written forward and read backward.
  CHECK(parts[0].work.forward.bytes() == Approx(1000 * (8 + 1)));
  CHECK(parts[1].work.backward_data.bytes() == Approx(1000 * (8 + 1)));
}

TEST_CASE("run model: overheads add the shifts that name stack and device") {
  const RunModel model = some_model();
  const OverheadLogs& prior = prior_overheads();
  CHECK(overheads(model, "k80", "tf2.5")[0] == Approx(prior[0] + 0.75));
  CHECK(overheads(model, "k80", "tf2.5")[1] == Approx(prior[1] + 1.5));
  CHECK(overheads(model, "t4", "tf2.5")[1] == Approx(prior[1] + 1));
  CHECK(overheads(model, "t4", "tf1.10")[1] == Approx(prior[1] + 1));
  CHECK(overheads(model, "t4", "mxnet1.0")[0] == Approx(prior[0] + 0.5));
}

TEST_CASE("run model: a specialist answers for devices and stacks with runs, and for no others") {
  RunModel model = some_model();
  RunModel& tf = model.specialists.emplace_back();
  tf.stacks = "tf*";
  tf.known = {{"k80", "tf2.5", "fp32", "training", 100, 0, 0, 0}};
  tf.shifts = {{"", "", {3, 0, 0, 0, 0, 0}}};
  CHECK(&model.specialist("k80", "tf2.5") == &tf);
  CHECK(&model.specialist("k80", "pytorch1.4") == &model);
  CHECK(&model.specialist("v100-sxm2", "tf2.5") == &model);
  CHECK(overheads(model, "k80", "tf2.5")[0] == Approx(prior_overheads()[0] + 3));
  CHECK(overheads(model, "k80", "pytorch1.4")[0] == Approx(prior_overheads()[0] + 7.5));
}

TEST_CASE("run model: of a device that ran no such parts the specialist tells none") {
  RunModel model = some_model();
  TrainedNetwork conv, gemm;
  conv.family = "conv";
  gemm.family = "gemm";
  model.networks = {conv, gemm};
  RunModel& known_devices = model.specialists.emplace_back();
  known_devices.networks = {conv, gemm};
  known_devices.known.resize(3);
  for (KnownRuns& runs : known_devices.known) runs = {"h100-sxm", "pytorch2.1", "", "", 11, 0, 0, 0, "gemm"};
  known_devices.known[1].gpu = known_devices.known[2].gpu = "k80";
  known_devices.known[1].family = "conv";
  CHECK(model.network("gemm", "h100-sxm", "pytorch2.1") == &known_devices.networks[1]);
  CHECK(model.network("conv", "h100-sxm", "pytorch2.1") == &model.networks[0]);
  CHECK(model.network("conv", "k80", "pytorch2.1") == &known_devices.networks[0]);
  CHECK(model.network("conv", "t4", "pytorch2.1") == &model.networks[0]);
  CHECK(model.network("recurrent", "k80", "pytorch2.1") == nullptr);
  known_devices.known[0].family.clear();  // as files of before have it
  CHECK(model.network("conv", "h100-sxm", "pytorch2.1") == &known_devices.networks[0]);
}

TEST_CASE("run model: what was not measured is said, by device, precision and mode") {
  const RunModel model = some_model();
  const Device k80 = DeviceDb().find("k80");
  const Device h100 = DeviceDb().find("h100-sxm");
  Conditions conditions{.device = &k80, .mode = Mode::training, .stack = "tf2.5"};
  CHECK(run_warnings(model, conditions).empty());
  CHECK(is_measured(model, conditions));
  conditions.precision = Precision::fp16;
  REQUIRE(run_warnings(model, conditions).size() == 1);
  CHECK_THAT(run_warnings(model, conditions).front(), Catch::Contains("no runs in fp16 of k80 with tf2.5") &&
                                                          Catch::Contains("fp32 runs") &&
                                                          Catch::Contains("any device"));
  CHECK_FALSE(is_measured(model, conditions));
  conditions.mode = Mode::forward;
  CHECK(run_warnings(model, conditions).size() == 2);
  CHECK_THAT(run_warnings(model, conditions).back(), Catch::Contains("training runs"));
  conditions.device = &h100;
  REQUIRE(run_warnings(model, conditions).size() == 2);
  CHECK_THAT(run_warnings(model, conditions).front(), Catch::Contains("data sheet"));
  CHECK_THAT(run_warnings(model, conditions).back(), Catch::Contains("any device is in fp16"));
  conditions.precision = Precision::fp32;
  CHECK(run_warnings(model, conditions).size() == 1);
}

TEST_CASE("run model: the longer of device and host decides, and the input copy comes on top") {
  RunModel model;
  model.smoothness = 2;
  const Device device = DeviceDb().find("k80");
  const Conditions conditions{.device = &device, .stack = "tf2.5"};
  // Host: step 1 ms, 250 kernels of 8 us each: 3 ms. Device: 4 ms. Copy: 5 MB at 5 GB/s.
  const HostWork host{.kernels = 250, .update_kernels = 0, .update_bytes = 0, .input_bytes = 5e6};
  CHECK(batch_ms(model, conditions, 4, host) == Approx(5 + 1));
  model.smoothness = 20;
  CHECK(batch_ms(model, conditions, 400, host) == Approx(401).epsilon(1e-6));
}

TEST_CASE("run model: the narrowest interval counts, a new device has its own") {
  const RunModel model = some_model();
  CHECK(run_half_width(model, "tf2.5", RunNovelty::none) == 0.125);
  CHECK(run_half_width(model, "pytorch1.4", RunNovelty::none) == 0.5);
  CHECK(run_half_width(model, "tf1.10", RunNovelty::none) == 0.25);
  CHECK(run_half_width(model, "tf2.5", RunNovelty::layers) == 0.625);
  CHECK(run_half_width(model, "tf2.5", RunNovelty::device) == 0.75);
}

TEST_CASE("run model: frameworks are told apart from their versions") {
  CHECK(framework_pattern("tf2.5") == "tf*");
  CHECK(framework_pattern("pytorch2.4.1") == "pytorch*");
  CHECK(framework_pattern("pytorch") == "pytorch*");
  CHECK(framework_pattern("torch7") == "torch7*");
  CHECK(names_stack("tf*", "tf2.5"));
  CHECK_FALSE(names_stack("tf*", "pytorch1.4"));
  CHECK(names_stack("", "anything"));
  CHECK_FALSE(names_stack("tf2.5", "tf2.50"));
}

TEST_CASE("run model: the default stack is the newest that is known well") {
  const RunModel model = some_model();
  const DeviceDb devices;
  CHECK(default_stack(model, devices.find("k80"), devices) == "tf2.5");
  CHECK(default_stack(model, devices.find("t4"), devices) == "tf2.5");          // four runs are too few
  CHECK(default_stack(model, devices.find("v100-sxm2"), devices) == "tf1.10");  // none well: the most runs
  CHECK(default_stack(model, devices.find("k40"), devices) == "tf2.5");         // as the K80
  CHECK(default_stack(model, devices.find("rtx4080"), devices) == "tf2.5");     // too new for tf1.10
  CHECK(default_stack(RunModel{}, devices.find("k80"), devices).empty());
  RunModel two_makers;
  two_makers.known = {{"h100-sxm", "pytorch2.1", "fp32", "training", 20, 20, 0.05, 0.9},
                      {"mi250", "pytorch2.4.1", "fp32", "training", 20, 20, 0.05, 0.9},
                      {"t4", "tf2.5", "fp32", "training", 20, 20, 0.05, 0.9}};
  CHECK(default_stack(two_makers, devices.find("l4"), devices) == "pytorch2.1");    // tf2.5 does not know it
  CHECK(default_stack(two_makers, devices.find("b200"), devices) == "pytorch2.1");  // mi250 is no NVIDIA
  CHECK(default_stack(two_makers, devices.find("mi210"), devices) == "pytorch2.4.1");
}

TEST_CASE("step parts: a dense layer's gradients are products of other sizes") {
  const auto forward = parts_of(dense(), Mode::forward);
  REQUIRE(forward.size() == 1);
  CHECK_FALSE(forward[0].backward);
  const auto training = parts_of(dense(), Mode::training);
  REQUIRE(training.size() == 3);
  CHECK(training[1].problem.size("m") == 32);
  CHECK(training[1].problem.size("n") == 100);
  CHECK(training[1].problem.size("k") == 10);
  CHECK(training[2].problem.size("m") == 100);
  CHECK(training[2].problem.size("n") == 10);
  CHECK(training[2].problem.size("k") == 32);
  for (const StepPart& part : training) CHECK(part.work.forward.macs == 32.0 * 100 * 10);
}

TEST_CASE("step parts: the first convolution has no data gradient; an activation is a part of its own") {
  const auto first = parts_of(conv(Activation::relu), Mode::training, false);
  REQUIRE(first.size() == 4);
  CHECK(first[0].pass == Pass::forward);
  CHECK(first[1].pass == Pass::backward_weight);
  CHECK(first[2].follows_product);
  CHECK(first[3].backward);
  CHECK(parts_of(conv(Activation::none), Mode::training).size() == 3);
  CHECK(parts_of(conv(Activation::relu), Mode::forward).size() == 2);
}

TEST_CASE("step parts: gradients of an output with several readers are added up") {
  const auto parts = parts_of(conv(Activation::none), Mode::training, true, 1000);
  REQUIRE(parts.size() == 4);
  CHECK(parts[3].backward);
  CHECK(parts[3].work.forward.bytes() == 12000);
  CHECK(parts_of(conv(Activation::none), Mode::forward, true, 1000).size() == 1);
}

TEST_CASE("step parts: what PyTorch splits or slices is a view, and has gradients") {
  const Problem split = make_problem(*find_layer_kind("data_movement"), DType::f32,
                                     {{"elements_read", 3000}, {"elements_written", 3000}, {"function", 3}});
  CHECK(split.kind->parameters[2].choices[2] == "slice");
  CHECK(split.kind->parameters[2].choices[3] == "split");
  CHECK(is_view(split, "pytorch2.1"));
  CHECK(is_view(split, "torch7"));
  CHECK_FALSE(is_view(split, "tf2.5"));
  CHECK_FALSE(is_view(split, ""));
  CHECK_FALSE(is_view(dense(), "pytorch2.1"));
  CHECK(parts_of(split, Mode::forward, true, 0, "pytorch2.1").empty());
  const auto eager = parts_of(split, Mode::training, true, 0, "pytorch2.1");
  REQUIRE(eager.size() == 1);
  CHECK(eager[0].backward);
  CHECK(eager[0].problem.kind->name == "concat");
  CHECK(eager[0].work.forward.bytes() == 24000);
  CHECK(parts_of(split, Mode::training, true, 0, "tf2.5").size() == 2);
  const Problem slice = make_problem(*find_layer_kind("data_movement"), DType::f32,
                                     {{"elements_read", 1000}, {"elements_written", 1000}, {"function", 2}});
  CHECK(is_view(slice, "pytorch1.4"));
  const auto of_slice = parts_of(slice, Mode::training, true, 0, "pytorch1.4");
  REQUIRE(of_slice.size() == 1);
  CHECK(of_slice[0].backward);
  CHECK(of_slice[0].problem.kind->name == "data_movement");
}

TEST_CASE("step parts: an operator without a model counts its bytes") {
  Problem problem;
  LayerWork work;
  work.forward.bytes_read = work.forward.bytes_written = 4e6;
  const LayerQuery query{.problem = &problem, .work = &work, .needs_weight_gradient = false};
  std::vector<StepPart> parts;
  append_parts(query, 0, Conditions{.mode = Mode::training}, parts);
  REQUIRE(parts.size() == 2);
  CHECK(parts[0].family->name == "streaming");
  work = {};
  parts.clear();
  append_parts(query, 0, Conditions{.mode = Mode::training}, parts);
  CHECK(parts.empty());
}
