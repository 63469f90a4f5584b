#include "sim/evaluation/evaluation.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "sim/core/error.h"
#include "tests/evaluation/plain_predictor.h"
#include "tests/trainers/measured_samples.h"

using namespace layersim;
using tests::plain_network;
using tests::plain_predictor;

namespace {

// One layer of a kind on a device and stack; its time is to be set.
Sample& add_layer(RowFiles& rows, const std::string& kind, std::initializer_list<NamedSize> sizes,
                  const std::string& stack = "pytorch2.1", const std::string& gpu = "v100-sxm2") {
  SampleSet& set = rows.set;
  std::int32_t device = 0;
  while (device < static_cast<std::int32_t>(set.devices.size()) &&
         set.devices[static_cast<std::size_t>(device)].key != gpu) {
    ++device;
  }
  if (device == static_cast<std::int32_t>(set.devices.size())) device = tests::add_device(set, gpu);
  std::int32_t index = 0;
  while (index < static_cast<std::int32_t>(set.stacks.size()) &&
         set.stacks[static_cast<std::size_t>(index)] != stack) {
    ++index;
  }
  if (index == static_cast<std::int32_t>(set.stacks.size())) index = tests::add_stack(set, stack);
  Sample& sample =
      tests::add_sample(set, make_problem(*find_layer_kind(kind), DType::f32, sizes), device, index);
  sample.time_ms = 1;
  return sample;
}

// The sum of the physical terms of the layer's family.
double terms_ms(const SampleSet& set, const Sample& sample) {
  const FeatureFamily& family = *sample.family;
  std::vector<float> features(family.features.size());
  std::vector<float> terms(family.terms.size());
  family.fill(set.query(sample), DeviceNumbers(set.conditions(sample)), features.data(), terms.data());
  double sum = 0;
  for (const float term : terms) sum += std::exp(static_cast<double>(term));
  return sum;
}

std::string error_of(const PredictorFile& predictor, const RowFiles& rows, const EvaluationOptions& options,
                     ErrorKind kind) {
  try {
    static_cast<void>(evaluate_rows(predictor, rows, options));
  } catch (const Error& error) {
    CHECK(error.kind() == kind);
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("rows are predicted by the network and held against their times") {
  RowFiles rows;
  add_layer(rows, "softmax", {{"rows", 1000}, {"cols", 100}});
  add_layer(rows, "softmax", {{"rows", 2000}, {"cols", 100}});
  for (Sample& sample : rows.set.samples) sample.time_ms = terms_ms(rows.set, sample);
  const Evaluation evaluation =
      evaluate_rows(plain_predictor({plain_network("rowwise", {"v100-sxm2"}, "pytorch2.1", 1.25)}), rows, {});
  REQUIRE(evaluation.rows.size() == 2);
  REQUIRE(evaluation.groups.size() == 1);
  const RowGroup& group = evaluation.groups.front();
  CHECK(group.gpu == "v100-sxm2");
  CHECK(group.kind == "softmax");
  CHECK(group.mode == "forward");
  CHECK(group.predictor.n == 2);
  CHECK(group.predictor.mape == Approx(0.25).epsilon(1e-4));
  CHECK(group.predictor.coverage90 == 0);
  CHECK(group.predictor.pearson == Approx(1));
  CHECK(group.estimated == 0);
  CHECK(group.inside_trained_range == 2);
  CHECK(group.networks == std::set<std::string>{"rowwise@pytorch2.1"});
  CHECK(group.linear.n == 0);
  CHECK(group.roofline.n == 2);
  CHECK(evaluation.overall.predictor.mape == Approx(0.25).epsilon(1e-4));
}

TEST_CASE("the stack of a row decides which network answers") {
  RowFiles rows;
  add_layer(rows, "softmax", {{"rows", 1000}, {"cols", 100}}, "pytorch2.1");
  add_layer(rows, "softmax", {{"rows", 1000}, {"cols", 100}}, "tf1.10");
  add_layer(rows, "softmax", {{"rows", 1000}, {"cols", 100}}, "unheard-of");
  const double ms = terms_ms(rows.set, rows.set.samples.front());
  PredictorFile predictor = plain_predictor({plain_network("rowwise", {"v100-sxm2"}, "pytorch2.1", 2),
                                             plain_network("rowwise", {"v100-sxm2"}, "tf1.10", 3)});
  predictor.networks[1].known.front().rows = 500;
  const Evaluation evaluation = evaluate_rows(predictor, rows, {});
  REQUIRE(evaluation.rows.size() == 3);
  CHECK(evaluation.rows[0].prediction.time_ms == Approx(2 * ms).epsilon(1e-4));
  CHECK(evaluation.rows[1].prediction.time_ms == Approx(3 * ms).epsilon(1e-4));
  // As `predict` does: the stack of which this device has the most rows.
  CHECK(evaluation.rows[2].prediction.time_ms == Approx(3 * ms).epsilon(1e-4));
}

TEST_CASE("a pass that was not measured is estimated from the forward pass, and said to be") {
  RowFiles rows;
  add_layer(rows, "dense", {{"rows", 4096}, {"in_features", 4096}, {"out_features", 4096}});
  add_layer(rows, "dense", {{"rows", 4096}, {"in_features", 4096}, {"out_features", 4096}}).pass =
      Pass::training;
  const Evaluation evaluation =
      evaluate_rows(plain_predictor({plain_network("gemm", {"v100-sxm2"}, "pytorch2.1", 1)}), rows, {});
  REQUIRE(evaluation.groups.size() == 2);
  CHECK(evaluation.groups[1].mode == "training");
  CHECK(evaluation.groups[1].estimated == 1);
  CHECK(evaluation.overall.estimated == 1);
  // Two more products of the same size.
  CHECK(evaluation.rows[1].prediction.time_ms ==
        Approx(3 * evaluation.rows[0].prediction.time_ms).epsilon(0.02));
  const RowPrediction& estimate = evaluation.rows[1].prediction;
  CHECK(estimate.interval_ms.high == Approx(2 * estimate.time_ms));
  CHECK(estimate.interval_ms.low == Approx(estimate.time_ms / 2));
}

TEST_CASE("layers without a family have stand-ins; a predictor without those leaves them out, by reason") {
  RowFiles rows;
  add_layer(rows, "embedding", {{"lookups", 4096}, {"width", 1024}});
  add_layer(rows, "softmax", {{"rows", 1000}, {"cols", 100}});
  const PredictorFile with = plain_predictor({plain_network("elementwise", {"v100-sxm2"}, "pytorch2.1", 1),
                                              plain_network("rowwise", {"v100-sxm2"}, "pytorch2.1", 1)});
  const Evaluation evaluation = evaluate_rows(with, rows, {});
  REQUIRE(evaluation.groups.size() == 2);
  CHECK(evaluation.groups[0].kind == "embedding");
  CHECK(evaluation.groups[0].estimated == 1);
  CHECK(evaluation.left_out.empty());

  const PredictorFile without = plain_predictor({plain_network("rowwise", {"v100-sxm2"}, "pytorch2.1", 1)});
  const Evaluation partly = evaluate_rows(without, rows, {});
  CHECK(partly.rows.size() == 1);
  CHECK(partly.left_out.at("the predictor has no network for layers of kind 'embedding'") == 1);
  CHECK(error_of(without, rows, {{"embedding"}, false}, ErrorKind::nothing_predicted)
            .find("1 row: the predictor has") != std::string::npos);
}

TEST_CASE("kinds are chosen by their own name or that of their family") {
  RowFiles rows;
  add_layer(rows, "softmax", {{"rows", 1000}, {"cols", 100}});
  add_layer(rows, "norm", {{"function", 2}, {"rows", 10}, {"cols", 100}, {"channels", 100}});
  const PredictorFile predictor = plain_predictor({plain_network("rowwise", {"v100-sxm2"}, "pytorch2.1", 1)});
  CHECK(evaluate_rows(predictor, rows, {{"norm"}, false}).rows.size() == 1);
  CHECK(evaluate_rows(predictor, rows, {{"rowwise"}, false}).rows.size() == 2);
  CHECK(error_of(predictor, rows, {{"conv"}, false}, ErrorKind::nothing_predicted) != "no error");
}

TEST_CASE("held-out rows are those that the split of the predictor kept out") {
  RowFiles rows;
  for (std::int64_t i = 1; i <= 300; ++i) add_layer(rows, "softmax", {{"rows", i}, {"cols", 100}});
  PredictorFile predictor = plain_predictor({plain_network("rowwise", {"v100-sxm2"}, "pytorch2.1", 1)}, 0.25);
  const Evaluation evaluation = evaluate_rows(predictor, rows, {{}, true});
  CHECK(evaluation.rows.size() + evaluation.seen_in_training == 300);
  CHECK(evaluation.rows.size() > 40);
  CHECK(evaluation.rows.size() < 110);
  for (const EvaluatedRow& row : evaluation.rows) {
    CHECK(split_position(rows.set.samples[row.sample].configuration, 1) < 0.25);
  }
  predictor.provenance.test_share = 0;
  CHECK(error_of(predictor, rows, {{}, true}, ErrorKind::bad_use).find("does not tell") != std::string::npos);
}
