// The regression on tables whose formula is known.

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "sim/core/error.h"
#include "sim/methods/regression/regression_model.h"
#include "tests/store/temporary_folder.h"
#include "trainers/methods/regression_training.h"

using namespace layersim;
using namespace layersim::tests;

namespace {

double true_ms(double batch, double work_gflop, double rate) {
  return 2 + 3 * batch + 40 * work_gflop / rate;
}

// 3 devices x 4 networks x 6 batches; the batch is also written as a text that tells nothing.
std::string rows() {
  std::string text = "gpu,model,batch,work,rate,note,time_ms\n";
  const std::vector<std::pair<std::string, double>> devices{{"k80", 4}, {"t4", 8}, {"v100-sxm2", 15}};
  for (const auto& [gpu, rate] : devices) {
    for (int network = 1; network <= 4; ++network) {
      for (const int batch : {1, 2, 4, 8, 16, 32}) {
        const double work = network * 7.0 * batch;
        text += gpu + ",net" + std::to_string(network) + ',' + std::to_string(batch) + ',' +
                std::to_string(work) + ',' + std::to_string(rate) + ",same," +
                std::to_string(true_ms(batch, work, rate)) + '\n';
      }
    }
  }
  return text;
}

RegressionTable table_of(const TemporaryFolder& folder, const std::vector<std::string>& features) {
  return read_regression_table(folder.write("rows.csv", rows()), {features, "time_ms", true});
}

void ignore(int /*part*/, int /*parts*/) {}

}  // namespace

TEST_CASE("columns become features: numbers, one for each text that varies, and the device sheet") {
  const TemporaryFolder folder;
  const RegressionTable table = table_of(folder, {});
  CHECK(table.rows.size() == 72);
  CHECK(table.rows.front().network == "net1");
  CHECK(table.rows.front().gpu == "k80");
  CHECK(table.rows[1].features[table.feature("batch")] == 2);
  CHECK(table.rows.front().features[table.feature("gpu=k80")] == 1);
  CHECK(table.rows.back().features[table.feature("gpu=k80")] == 0);
  CHECK(table.rows.front().features[table.feature("model=net1")] == 1);
  CHECK(table.rows.front().features[table.feature("peak_tflops")] > 0);
  CHECK_THROWS_AS(table.feature("note=same"), Error);
  CHECK_THROWS_AS(table.feature("time_ms"), Error);
}

TEST_CASE("forward selection finds a product with an inverse, and what it found is written and read") {
  const TemporaryFolder folder;
  const RegressionTable table = table_of(folder, {"batch", "work", "rate"});
  const RegressionModel model = fit_regression(table, {}, 1);
  CHECK(model.left_out_mape < 0.01);
  CHECK_FALSE(model.of_logarithm);
  CHECK(model.predict_ms(std::vector<double>{16, 112, 8}) == Approx(true_ms(16, 112, 8)).epsilon(0.01));
  const std::string text = formula(model);
  INFO(text);
  CHECK(text.find("work / rate") != std::string::npos);
  CHECK(model.outside(std::vector<double>{64, 112, 8}) == std::vector<std::string>{"batch"});

  const std::string file = folder.file("regression.h5");
  write_regression_model(model, file);
  const RegressionModel read = read_regression_model(file);
  CHECK(formula(read) == text);
  CHECK(read.predict_ms(std::vector<double>{16, 112, 8}) ==
        model.predict_ms(std::vector<double>{16, 112, 8}));
  CHECK(read.left_out_mape == model.left_out_mape);
}

TEST_CASE("largest batches, networks and devices that the fit has not seen are predicted by the formula") {
  const TemporaryFolder folder;
  const RegressionTable table = table_of(folder, {"batch", "work", "rate"});
  const ErrorTable batches = evaluate_extrapolation(table, "batch", 1);
  CHECK(batches.rows.size() == 12);  // a fifth of 6 values: the largest
  CHECK(group_rows(batches, 0, 0).front().errors.mape < 0.02);
  const ErrorTable networks = evaluate_regression_left_out(table, {LeftOut::What::network, {}}, 1, ignore);
  CHECK(networks.rows.size() == 72);
  CHECK(group_rows(networks, 1, 2).size() == 4);
  CHECK(group_rows(networks, 0, 0).front().errors.mape < 0.02);
  CHECK_THROWS_AS(evaluate_extrapolation(table, "rate_of_nothing", 1), Error);
}

TEST_CASE("where formulas do as well, the one of parts that only add up is taken, with no part below zero") {
  // Times of parts, of which one is never there, scattered by 5 %.
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> scatter(0.95, 1.05);
  RegressionTable table{{"conv_ms", "kernels", "idle", "device_gb_s"}, {}};
  for (int i = 0; i < 90; ++i) {
    const double conv_ms = 1 + i % 10;
    const double kernels = 20 + 13 * (i % 7);
    const double rate = 100 + 50 * (i % 3);
    RegressionRow row;
    row.features = {conv_ms, kernels, static_cast<double>(i % 4), rate};
    row.target_ms = (2 * conv_ms + 30 * kernels / rate) * scatter(random);
    row.network = "net" + std::to_string(i % 9);
    table.rows.push_back(row);
  }
  const RegressionModel model = fit_regression(table, {LeftOut::What::network, {}}, 1);
  INFO(formula(model));
  CHECK_FALSE(model.of_logarithm);
  for (const Term& term : model.terms) CHECK(term.coefficient > 0);
  CHECK(model.left_out_mape < 0.05);
  // Three times as large as any that was fitted.
  CHECK(model.predict_ms(std::vector<double>{30, 294, 0, 100}) ==
        Approx(2 * 30 + 30 * 294 / 100.0).epsilon(0.05));
  CHECK(model.half_width < 0.1);
}

TEST_CASE("arrange_features: a text that is not in the rows is 0, any other column that lacks is an error") {
  RegressionTable table{{"batch", "gpu=k80"}, {}};
  table.rows.resize(1);
  table.rows[0].features = {4, 1};
  arrange_features(table, {"gpu=t4", "gpu=k80", "batch"});
  CHECK(table.rows[0].features == std::vector<double>{0, 1, 4});
  CHECK_THROWS_AS(arrange_features(table, {"layers"}), Error);
}

TEST_CASE("tables that cannot be learned from are refused with file, line and column") {
  const TemporaryFolder folder;
  const auto complaint = [&](const std::string& text, const ColumnChoice& choice) -> std::string {
    try {
      (void)read_regression_table(folder.write("bad.csv", text), choice);
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  };
  CHECK(complaint("a,b\n1,2\n", {}).find("--target") != std::string::npos);
  CHECK(complaint("a,time_ms\n1,x\n", {{}, "", true}).find("line 2: column 'time_ms'") != std::string::npos);
  CHECK(complaint("a,time_ms\n1,-1\n", {{}, "", true}).find("not above zero") != std::string::npos);
  CHECK(complaint("a,time\n1,1\n", {{}, "time", true}).find("_ms or _s") != std::string::npos);
  CHECK(complaint("a,time_ms\n1,1\n", {{"c"}, "", true}).find("'c' (--features)") != std::string::npos);
  CHECK(complaint("gpu,a,time_ms\nnot-a-gpu,1,1\n", {}).find("line 2: column 'gpu'") != std::string::npos);
}
