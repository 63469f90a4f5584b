// Studies with a predictor whose answers are known.

#include "sim/study/study.h"

#include <catch2/catch.hpp>
#include <set>

#include "hwdb/device_db.h"
#include "sim/core/error.h"
#include "sim/core/json.h"
#include "sim/graph/graph_text.h"
#include "sim/report/study_report.h"
#include "sim/timing/network_time.h"
#include "tests/even_predictor.h"
#include "tests/store/temporary_folder.h"

using namespace layersim;
using namespace layersim::tests;
using Catch::Matchers::Contains;

namespace {

constexpr const char* kTwoLayers = R"(network two opset 17
input x f32 [N, 8]
weight w f32 [8, 8]
weight v f32 [8, 4]
a = MatMul(x, w) name "first"
b = Relu(a) name "act"
y = MatMul(b, v) name "second"
output y
)";

StudyNetwork text_network(const std::string& name, const char* text) {
  return {name, [text](Warnings&) { return parse_graph_text(text); }};
}

StudyChoice choice(const std::string& gpu, double usd_per_hour) {
  return {.name = gpu,
          .device = DeviceDb().find(gpu),
          .price = HourlyPrice{.usd = usd_per_hour, .what = "lease", .age = ""}};
}

// A step takes 9 ms: two layers with 1 ms forward and 3 ms backward, and 1 ms of overhead.
StudyRequest sample_request() {
  StudyRequest request;
  request.networks = {text_network("two", kTwoLayers)};
  request.choices = {choice("k80", 1), choice("t4", 2)};
  request.batches = {1, 2, 4};
  request.dataset_size = 4000;
  request.epochs = 10;
  return request;
}

NetworkStudy study(const StudyRequest& request) { return run_study(request, EvenPredictor()).front(); }

}  // namespace

TEST_CASE("a study predicts each network on each choice at each batch") {
  const NetworkStudy two = study(sample_request());
  CHECK(two.network == "two");
  CHECK(two.params == 96);
  CHECK(two.macs_per_sample == 96);
  REQUIRE(two.cells.size() == 6);
  const StudyCell& cell = two.cells[4];
  CHECK(cell.choice == 1);
  CHECK(cell.batch == 2);
  CHECK(cell.step.batch_ms() == Approx(9));
  CHECK(cell.samples_per_s() == Approx(2 / 0.009));
  CHECK(cell.epoch_s == Approx(2000 * 0.009));
  CHECK(cell.total_s == Approx(180));
  CHECK(cell.total_interval_s->low == Approx(180 * (1 + 0.8 * 8) / 9));
  CHECK(cell.cost_usd.value() == Approx(2 * 180 / 3600.0));
  CHECK(cell.fits());
}

TEST_CASE("cells are what predicting one by one gives") {
  StudyRequest request = sample_request();
  request.networks = {study_network("squeezenet1_1")};
  request.validation_size = 100;
  const auto predictor = make_predictor("");
  const NetworkStudy result = run_study(request, *predictor).front();
  for (const StudyCell& cell : result.cells) {
    Warnings warnings;
    DecomposeOptions options;
    options.bindings.batch = cell.batch;
    options.training = true;
    const Network network = decompose(study_network("squeezenet1_1").open(warnings), options);
    const Conditions conditions{.device = &request.choices[cell.choice].device, .stack = result.stack};
    const NetworkTime time = network_time(network, conditions, *predictor, warnings);
    CHECK(cell.step.batch_ms() == Approx(time.step.batch_ms()));
    CHECK(cell.step.interval_ms->high == Approx(time.step.interval_ms->high));
    CHECK(cell.memory.total_bytes() == memory_need(network, time.repeats, conditions).total_bytes());
    CHECK(cell.epoch_s * 1000 > time.step.batch_ms() * 4000 / static_cast<double>(cell.batch));
  }
}

TEST_CASE("what to choose: the fastest, the cheapest, the best batch, the pareto front") {
  const NetworkStudy two = study(sample_request());
  CHECK(two.fastest == 2);  // k80 and t4 take the same time: the first stays
  CHECK(two.cheapest == 2);
  CHECK(two.best_of_choice == std::vector<std::optional<std::size_t>>{2, 5});
  CHECK(two.pareto == std::vector<std::size_t>{2});
}

TEST_CASE("budget and deadline leave choices out") {
  StudyRequest request = sample_request();
  request.budget_usd = 0.06;  // k80: 0.1, 0.05, 0.025; t4: twice that
  const NetworkStudy cheap = study(request);
  std::vector<bool> within;
  for (const StudyCell& cell : cheap.cells) within.push_back(cell.within_budget);
  CHECK(within == std::vector<bool>{false, true, true, false, false, true});
  request.budget_usd.reset();
  request.deadline_h = 0.01;
  const NetworkStudy none = study(request);
  CHECK_FALSE(none.fastest.has_value());
  CHECK_FALSE(none.cheapest.has_value());
  CHECK(none.pareto.empty());
  CHECK_THAT(study_table(request, none, {}), Contains("nothing") && Contains("too late"));
}

TEST_CASE("without a price a choice can be the fastest but not the cheapest") {
  StudyRequest request = sample_request();
  request.choices[0].price.reset();
  const NetworkStudy two = study(request);
  CHECK(two.fastest == 2);
  CHECK(two.cheapest == 5);
  CHECK_FALSE(two.cells[2].cost_usd.has_value());
  request.budget_usd = 100;
  CHECK(study(request).fastest == 5);
}

TEST_CASE("what does not fit in memory is told and not chosen") {
  StudyRequest request = sample_request();
  request.choices[0].device.memory_gib = 0.25;
  const NetworkStudy two = study(request);
  CHECK_FALSE(two.cells[0].fits());
  CHECK(two.fastest == 5);
  CHECK_FALSE(two.best_of_choice[0].has_value());
  CHECK_THAT(study_table(request, two, {}), Contains("does NOT fit"));
}

TEST_CASE("many networks come in the order of the request on any number of threads, each with its error") {
  StudyRequest request = sample_request();
  request.networks.clear();
  for (int i = 0; i < 50; ++i) request.networks.push_back(text_network("n" + std::to_string(i), kTwoLayers));
  for (const int threads : {1, 3}) {
    request.threads = threads;
    const auto studies = run_study(request, EvenPredictor());
    REQUIRE(studies.size() == 50);
    for (int i = 0; i < 50; ++i)
      CHECK(studies[static_cast<std::size_t>(i)].network == "n" + std::to_string(i));
  }
  request.networks[20] = study_network("no/such/file.onnx");
  CHECK_THROWS_WITH(run_study(request, EvenPredictor()), Contains("no/such/file.onnx"));
}

TEST_CASE("JSON and CSV have every row") {
  StudyRequest request = sample_request();
  request.networks.push_back(text_network("again, \"quoted\"", kTwoLayers));
  request.choices[1].price.reset();
  const auto studies = run_study(request, EvenPredictor());
  const Json json = Json::parse(study_json(request, studies));
  CHECK(json["schema_version"] == 1);
  CHECK(json["choices"].size() == 2);
  CHECK(json["choices"][1]["price"].is_null());
  REQUIRE(json["networks"].size() == 2);
  CHECK(json["networks"][1]["network"] == "again, \"quoted\"");
  const Json& rows = json["networks"][0]["rows"];
  REQUIRE(rows.size() == 6);
  CHECK(rows[1]["batch"] == 2);
  CHECK(rows[1]["gpu"] == "k80");
  CHECK(rows[1]["batch_ms"].get<double>() == Approx(9));
  CHECK(rows[1]["fits"] == true);
  CHECK(rows[4]["cost_usd"].is_null());
  CHECK(json["networks"][0]["cheapest"] == 2);
  const std::string csv = study_csv_header() + study_csv(request, studies[1]);
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 7);
  CHECK_THAT(csv, Contains("\"again, \"\"quoted\"\"\",k80,k80,"));
}
