#include "sim/features/features.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "sim/core/error.h"
#include "sim/features/roofline_time.h"

using namespace layersim;

namespace {

const LayerKind& toy_kind() {
  static const LayerKind kind{.name = "toy",
                              .summary = "",
                              .parameters = {{"cell", "choice", 0, 2, Draw::choice, {"rnn", "lstm", "gru"}},
                                             {"batch", "sequence"},
                                             {"out_features", "element"},
                                             {"bias", "flag", 0, 1}},
                              .operators = {}};
  return kind;
}

Device toy_device() {
  Device device;
  device.key = "toy";
  device.device_type = "gpu";
  device.manufacturer = "nvidia";
  device.technology = "volta";
  device.connectivity = "nvlink";
  device.multiprocessors = 80;
  device.cores = 5120;
  device.peak_fp32_gflops = 1000;
  device.memory_bandwidth_gb_s = 100;
  return device;
}

struct Row {
  FeatureColumns columns{toy_kind()};
  std::vector<float> values;

  Row(const LayerQuery& query, const Conditions& conditions) : values(columns.size()) {
    FeatureWriter(columns, conditions).write(query, values);
  }
  float operator[](std::string_view name) const {
    INFO(name);
    REQUIRE(columns.index(name));
    return values[*columns.index(name)];
  }
};

}  // namespace

TEST_CASE("features have distinct names and units") {
  const FeatureColumns columns(toy_kind());
  std::set<std::string> names;
  for (const Feature& feature : columns.all()) {
    CHECK(names.insert(feature.name).second);
    CHECK_FALSE(feature.unit.empty());
  }
  CHECK_FALSE(columns.index("no such feature"));
}

TEST_CASE("features carry parameters, work, one-hots and the device") {
  const Device device = toy_device();
  Conditions conditions;
  conditions.device = &device;
  conditions.optimizer = Optimizer::adam;
  conditions.stack = "tf2.5";
  Problem problem{.kind = &toy_kind(), .sizes = {1, 64, 200, 1}};
  problem.activation = Activation::tanh;
  LayerWork work;
  work.forward = {.macs = 64.0 * 200 * 50, .flop = 2.0 * 64 * 200 * 50, .bytes_read = 1e6, .bytes_written = 4.0 * 64 * 200, .kernels = 2};
  const LayerQuery query{.problem = &problem, .work = &work, .learned_elements = 10000};
  const Row row(query, conditions);

  CHECK(row["cell=lstm"] == 1);
  CHECK(row["cell=gru"] == 0);
  CHECK(row["batch"] == 64);
  CHECK(row["log_batch"] == Approx(std::log1p(64)));
  CHECK(row["bias"] == 1);
  CHECK(row["activation=tanh"] == 1);
  CHECK(row["activation=none"] == 0);
  CHECK(row["optimizer=adam"] == 1);
  CHECK(row["optimizer=sgd"] == 0);
  CHECK(row["precision=fp32"] == 1);
  CHECK(row["stack=tf2.5"] == 1);
  CHECK(row["technology=volta"] == 1);
  CHECK(row["connectivity=nvlink"] == 1);
  CHECK(row["manufacturer=nvidia"] == 1);
  CHECK(row["training"] == 1);
  CHECK(row["log_flop_forward"] == Approx(std::log1p(2.0 * 64 * 200 * 50)));
  CHECK(row["kernels_forward"] == 2);
  CHECK(row["log_roofline_total"] == Approx(std::log(roofline_time(query, conditions).total_ms())));
  CHECK(row["log_learned_elements"] == Approx(std::log1p(10000)));
  CHECK(row["log_bandwidth"] == Approx(std::log1p(100)));
  CHECK(row["log_cores"] == Approx(std::log1p(5120)));

  // A product of 64 x 50 and 50 x 200: one row and four columns of tiles 64 wide, two 128 wide.
  CHECK(row["log_product_rows"] == Approx(std::log1p(64)));
  CHECK(row["log_product_columns"] == Approx(std::log1p(200)));
  CHECK(row["log_product_contracted"] == Approx(std::log1p(50)));
  CHECK(row["divisible_by_64_product_rows"] == 1);
  CHECK(row["divisible_by_8_product_columns"] == 1);
  CHECK(row["divisible_by_32_product_columns"] == 0);
  CHECK(row["divisible_by_4_product_contracted"] == 0);
  CHECK(row["log_tiles_64"] == Approx(std::log1p(4)));
  CHECK(row["wave_fill_64"] == Approx(4.0 / 80));
  CHECK(row["tile_fill_64"] == Approx(200.0 / 256));
  CHECK(row["log_tiles_128"] == Approx(std::log1p(2)));
}

TEST_CASE("features of nothing are finite") {
  const Device device;
  Conditions conditions;
  conditions.device = &device;
  Problem problem{.kind = &toy_kind(), .sizes = {0, 0, 0, 0}, .dtype = DType::string};
  const LayerWork work;
  const Row row({.problem = &problem, .work = &work}, conditions);
  for (const float value : row.values) CHECK(std::isfinite(value));
}

TEST_CASE("a row of the wrong length is refused") {
  const Device device = toy_device();
  Conditions conditions;
  conditions.device = &device;
  const FeatureColumns columns(toy_kind());
  std::vector<float> row(columns.size() - 1);
  CHECK_THROWS_AS(FeatureWriter(columns, conditions).write({}, row), Error);
}

TEST_CASE("conditions are named as on the command line") {
  for (std::size_t i = 0; i < optimizer_names().size(); ++i) {
    const auto optimizer = static_cast<Optimizer>(i);
    CHECK(parse_optimizer(name(optimizer)) == optimizer);
  }
  for (std::size_t i = 0; i < precision_names().size(); ++i) {
    const auto precision = static_cast<Precision>(i);
    CHECK(parse_precision(name(precision)) == precision);
  }
  CHECK(parse_mode("training") == Mode::training);
  CHECK_FALSE(parse_mode("Training"));
}
