// The regression on tables whose formula is known.

#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <random>

#include "hwdb/device_db.h"
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
  CHECK(table.rows.front().features[table.feature("sustained_tflops")] > 0);
  CHECK_THROWS_AS(table.feature("note=same"), Error);
  CHECK_THROWS_AS(table.feature("time_ms"), Error);
}

TEST_CASE("forward selection finds a product with an inverse, and what it found is written and read") {
  const TemporaryFolder folder;
  const RegressionTable table = table_of(folder, {"batch", "work", "rate"});
  const RegressionModel model = fit_regression(table, {}, 1);
  CHECK(model.left_out_mape < 0.01);
  CHECK_FALSE(model.of_logarithm);
  CHECK(model.formula_ms(std::vector<double>{16, 112, 8}) == Approx(true_ms(16, 112, 8)).epsilon(0.01));
  const std::string text = formula(model);
  INFO(text);
  CHECK(text.find("work / rate") != std::string::npos);
  CHECK(model.novelty(std::vector<double>{64, 112, 8}, "", "").outside == std::vector<std::string>{"batch"});

  const std::string file = folder.file("regression.h5");
  write_regression_model(model, file);
  const RegressionModel read = read_regression_model(file);
  CHECK(formula(read) == text);
  CHECK(read.formula_ms(std::vector<double>{16, 112, 8}) ==
        model.formula_ms(std::vector<double>{16, 112, 8}));
  CHECK(read.left_out_mape == model.left_out_mape);
}

TEST_CASE("a column that is a multiple of one before it is no second feature") {
  const TemporaryFolder folder;
  RegressionTable table = table_of(folder, {"batch", "work", "rate"});
  table.features.push_back("work_of_two");
  for (RegressionRow& row : table.rows) row.features.push_back(2 * row.features[table.feature("work")]);
  const std::string text = formula(fit_regression(table, {}, 1));
  INFO(text);
  CHECK(text.find("work / rate") != std::string::npos);
  CHECK(text.find("work_of_two") == std::string::npos);
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

TEST_CASE("whole jobs: more iterations, deeper networks and more GPUs are told from fewer") {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> scatter(0.99, 1.01);
  RegressionTable table{{"iterations", "layers", "n_gpus"}, {}};
  for (const double iterations : {100., 200., 400., 800., 1600.}) {
    for (const double layers : {10., 20., 30., 50.}) {
      for (const double gpus : {1., 2., 4.}) {
        RegressionRow row;
        row.features = {iterations, layers, gpus};
        row.target_ms = (3000 + 10 * iterations * layers / gpus) * scatter(random);
        table.rows.push_back(row);
      }
    }
  }
  for (const char* feature : {"iterations", "layers", "n_gpus"}) {
    INFO(feature);
    CHECK(group_rows(evaluate_extrapolation(table, feature, 1), 0, 0).front().errors.mape < 0.05);
  }
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
  CHECK(model.formula_ms(std::vector<double>{30, 294, 0, 100}) ==
        Approx(2 * 30 + 30 * 294 / 100.0).epsilon(0.05));
  CHECK(model.half_width < 0.1);
}

namespace {

// A table of runs: four networks of the zoo at three batches on these devices.
std::string run_table(const std::vector<std::string>& gpus,
                      const std::function<double(const std::string&, int)>& ms) {
  std::string text = "network,gpu,batch,measured_ms\n";
  for (const std::string& gpu : gpus) {
    for (const char* network : {"alexnet", "vgg11", "resnet18", "squeezenet1_1"}) {
      for (const int batch : {8, 32, 128})
        text += std::string(network) + ',' + gpu + ',' + std::to_string(batch) + ',' +
                std::to_string(ms(gpu, batch)) + '\n';
    }
  }
  return text;
}

// The same with times of launches and of what the sheet allows, and the features that a step's parts need.
RegressionTable step_table(const TemporaryFolder& folder, const std::vector<std::string>& gpus) {
  RegressionTable table =
      read_regression_table(folder.write("runs.csv", run_table(gpus, [](auto&, int) { return 1; })), {});
  std::vector<std::string> features{"batch",
                                    "kernels",
                                    "shared_kernels",
                                    "exchanged_mb",
                                    "input_mb",
                                    "winograd_tiled_ms",
                                    "conv_tiled_ms",
                                    "grouped_roofline_ms",
                                    "product_roofline_ms",
                                    "other_roofline_ms",
                                    "update_roofline_ms",
                                    "roofline_ms",
                                    "conv_gb",
                                    "conv_gvalues",
                                    "conv_weights_m",
                                    "other_gvalues",
                                    "update_gb",
                                    "bandwidth_gb_s",
                                    "issue_ginstr_s"};
  for (const std::string& gpu : gpus) features.push_back("gpu=" + gpu);
  arrange_features(table, features);
  for (RegressionRow& row : table.rows) {
    row.target_ms = 0.02 * row.features[table.feature("kernels")];
    for (const char* part :
         {"winograd_tiled_ms", "conv_tiled_ms", "product_roofline_ms", "other_roofline_ms"})
      row.target_ms += 2 * row.features[table.feature(part)];
  }
  return table;
}

RegressionRow row_of(const RegressionModel& model, const char* network, const char* gpu, std::int64_t batch) {
  Run run;
  run.network = run.network_name = network;
  run.device = std::make_shared<const Device>(DeviceDb().find(gpu));
  run.batch = batch;
  run.plan = make_plan(run.parallel, *run.device, batch);
  RunNetworks networks;
  RegressionTable table = table_of_run(run, networks);
  arrange_features(table, model.features);
  return table.rows.front();
}

double width(const Interval& interval) { return std::log(interval.high / interval.low); }

}  // namespace

TEST_CASE(
    "parts of a step hold for a GPU and a network that were not learned from, and grow with the batch") {
  const TemporaryFolder folder;
  const RegressionTable table = step_table(folder, {"m60", "t4", "v100-sxm2"});
  const RegressionModel model = fit_regression(table, {}, 1);
  CHECK(model.gpus.size() == 3);
  REQUIRE_FALSE(model.step_terms.empty());
  for (const Term& term : model.step_terms) CHECK(term.coefficient > 0);
  CHECK(step_formula(model).find("kernels") != std::string::npos);

  const TemporaryFolder files;
  write_regression_model(model, files.file("regression.h5"));
  const RegressionModel read = read_regression_model(files.file("regression.h5"));
  CHECK(read.gpus == model.gpus);
  CHECK(step_formula(read) == step_formula(model));

  double before_ms = 0;
  for (const std::int64_t batch : {1, 16, 256, 4096, 65536}) {
    const RegressionRow row = row_of(model, "resnet18", "h100-sxm", batch);
    const Novelty novelty = model.novelty(row.features, row.network, "h100-sxm");
    CHECK(novelty.gpu);
    CHECK_FALSE(novelty.network);
    const double predicted_ms = model.predict_ms(row.features, novelty);
    CHECK(predicted_ms == read.predict_ms(row.features, novelty));
    CHECK(predicted_ms > before_ms);
    before_ms = predicted_ms;
  }
}

TEST_CASE("the interval is wider where the GPU or the network is new, and an older file has one width") {
  const TemporaryFolder folder;
  RegressionTable table = step_table(folder, {"m60", "t4", "v100-sxm2"});
  // Each GPU and each network has a speed of its own, which no feature tells of another.
  for (RegressionRow& row : table.rows)
    row.target_ms *= (row.gpu == "t4" ? 1.5 : 1) * (row.network == "vgg11" ? 1.3 : 1);
  RegressionModel model = fit_regression(table, {}, 1);
  CHECK(model.new_gpu_half_width > model.half_width);
  CHECK(model.new_network_half_width > model.half_width);
  const double known = width(model.interval_ms(10, {}));
  CHECK(width(model.interval_ms(10, {.network = true})) > known);
  CHECK(width(model.interval_ms(10, {.gpu = true})) >= 2 * model.new_gpu_half_width);
  CHECK(width(model.interval_ms(10, {.network = false, .gpu = false, .outside = {"batch"}})) > known);
  CHECK(model.novelty(table.rows.front().features, "ResNet-18", "t4").network == false);
  model.step_terms.clear();
  model.gpus.clear();
  CHECK(width(model.interval_ms(10, model.novelty(table.rows.front().features, "resnet18", "h100-sxm"))) ==
        Approx(known));
}

TEST_CASE("of one network nothing tells the error on others: their interval is half to twice the time") {
  const TemporaryFolder folder;
  RegressionTable table = step_table(folder, {"m60", "t4", "v100-sxm2", "k80"});
  std::erase_if(table.rows, [](const RegressionRow& row) { return row.network != "vgg11"; });
  RegressionModel model = fit_regression(table, {LeftOut::What::network, {}}, 1);
  REQUIRE(model.left_out == "configuration");
  CHECK(model.novelty(table.rows.front().features, "alexnet", "t4").network);
  CHECK(width(model.interval_ms(10, {})) < 0.5);
  CHECK(width(model.interval_ms(10, {.network = true})) >= 2 * 0.69);
  model.step_terms.clear();  // as of any table with columns of one's own
  CHECK(width(model.interval_ms(10, {.network = true})) >= 2 * 0.69);
  model.new_gpu_half_width = 0;
  CHECK(width(model.interval_ms(10, {.gpu = true})) >= 2 * 0.69);
}

TEST_CASE("a sum of parts is a time however short; where parts are taken away, what is left may be none") {
  RegressionModel model;
  model.features = {"batch", "work", "n_gpus"};
  model.low = {16, 10, 1};
  model.high = {64, 40, 4};
  model.terms = {{{{0, Form::value}}, 2}, {{{1, Form::value}}, 1}};
  model.least_ms = 20;
  const auto told_ms = [&](const std::vector<double>& row) {
    const Novelty novelty = model.novelty(row, "", "");
    return model.tells_time(row, novelty) ? model.predict_ms(row, novelty) : -1;
  };
  CHECK(told_ms({1, 0.5, 1}) == Approx(2.5));
  const Novelty far = model.novelty(std::vector<double>{1, 0.5, 1}, "", "");
  CHECK(model.interval_ms(2.5, far).high == Approx(20));
  CHECK(model.interval_ms(30, far).high == Approx(60).epsilon(0.01));
  CHECK(model.interval_ms(50, far).high == 50);
  CHECK(told_ms({0, 0, 1}) == -1);
  model.terms[1].coefficient = -1;
  CHECK(told_ms({64, 10, 1}) == Approx(118));
  CHECK(told_ms({1, 0.5, 1}) == -1);
  CHECK(model.predict_ms(std::vector<double>{1, 0.5, 1}, {}) == 20);
  model.terms = {{{{0, Form::value}, {2, Form::inverse}}, 2}};
  CHECK(told_ms({64, 10, 4}) == Approx(32));
  CHECK(told_ms({64, 10, 0}) == -1);  // divided by nothing
}

TEST_CASE("runs to predict need no measured time, and cells that the predictor reads as numbers are") {
  const TemporaryFolder folder;
  const std::string runs = folder.write("runs.csv", "network,gpu,batch\nalexnet,t4,8\n");
  ColumnChoice choice{{}, "", false, {"roofline_ms", "batch"}};
  CHECK(read_regression_table(runs, choice).is_of_runs());
  const std::string other = folder.write("other.csv", "network,gpu\nalexnet,t4\n");
  CHECK_THROWS_WITH(read_regression_table(other, choice), Catch::Contains("has no column 'batch'"));

  choice.read_by_predictor = {"batch", "n_gpus"};
  for (const char* cell : {"abc", "nan", ""}) {
    const std::string rows =
        folder.write("rows.csv", "batch,n_gpus,time_ms\n8,1,\n8," + std::string(cell) + ",\n");
    CHECK_THROWS_WITH(read_regression_table(rows, choice), Catch::Contains("line 3: column 'n_gpus'"));
  }
  const std::string rows = folder.write("rows.csv", "batch,n_gpus,time_ms\n8,1,2\n8,1,2\n8,x,2\n");
  CHECK_THROWS_WITH(read_regression_table(rows, {}), Catch::Contains("line 4: column 'n_gpus': 'x'"));
}

TEST_CASE("in half precision a step reads half the bytes, of as many values") {
  const TemporaryFolder folder;
  const RegressionTable table = read_regression_table(
      folder.write("runs.csv",
                   "network,gpu,precision,batch,measured_ms\nresnet18,t4,fp32,8,1\nresnet18,t4,fp16,8,1\n"),
      {});
  const auto of_half = [&](const char* feature) {
    const std::size_t column = table.feature(feature);
    return table.rows[1].features[column] / table.rows[0].features[column];
  };
  CHECK(of_half("conv_gvalues") == Approx(1));
  CHECK(of_half("conv_gb") == Approx(0.5));
  CHECK(of_half("other_gvalues") == Approx(1).epsilon(0.05));  // some of them keep their 4 bytes
  CHECK(of_half("other_gb") == Approx(0.5).epsilon(0.05));
  const RegressionRow& row = table.rows[0];
  CHECK(row.features[table.feature("conv_gb")] == Approx(4 * row.features[table.feature("conv_gvalues")]));
}

TEST_CASE("a formula for other GPUs has no term for one of them") {
  const TemporaryFolder folder;
  RegressionTable table = step_table(folder, {"m60", "t4"});
  for (RegressionRow& row : table.rows) row.target_ms *= row.gpu == "t4" ? 2 : 1;
  const RegressionModel known = fit_regression(table, {}, 1);
  const RegressionModel other = fit_regression(table, {LeftOut::What::gpu, {}}, 1);
  CHECK(formula(known).find("gpu=") != std::string::npos);
  CHECK(formula(other).find("gpu=") == std::string::npos);
}

TEST_CASE("runs on a device of one's own are learned from, by its sheet") {
  const TemporaryFolder folder;
  Device own = DeviceDb().find("t4");
  own.key = "my-gpu";
  const std::string runs =
      folder.write("runs.csv", run_table({"my-gpu"}, [](auto&, int batch) { return batch; }));
  const RegressionTable table = read_regression_table(runs, {}, {own});
  CHECK(table.rows.front().gpu == "my-gpu");
  CHECK(table.rows.front().features[table.feature("bandwidth_gb_s")] == 320);
  const std::string columns = folder.write("columns.csv", "gpu,batch,time_ms\nmy-gpu,1,5\nt4,2,6\n");
  CHECK(read_regression_table(columns, {}, {own}).rows.size() == 2);
  CHECK_THROWS_AS(read_regression_table(columns, {}), Error);
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
