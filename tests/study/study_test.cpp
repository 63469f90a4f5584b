// Studies with a predictor whose answers are known.

#include "sim/study/study.h"

#include <catch2/catch.hpp>
#include <set>

#include "hwdb/device_db.h"
#include "sim/core/error.h"
#include "sim/core/json.h"
#include "sim/graph/graph_text.h"
#include "sim/report/study_report.h"
#include "sim/study/sweep.h"
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

TEST_CASE("hardware is compared under one stack: what is known best for most of it") {
  class WithStacks : public EvenPredictor {
    [[nodiscard]] std::string default_stack(const Device& device) const override {
      return device.key == "k80" ? "old1.0" : "new2.0";
    }
  };
  StudyRequest request = sample_request();
  request.choices.push_back(choice("v100-sxm2", 3));
  CHECK(run_study(request, WithStacks()).front().stack == "new2.0");
  request.stack = "mine";
  CHECK(run_study(request, WithStacks()).front().stack == "mine");
  class WithNames : public WithStacks {
    [[nodiscard]] std::vector<std::string> known_stacks() const override { return {"old1.0", "new2.0"}; }
  };
  CHECK_THROWS_WITH(run_study(request, WithNames()),
                    Catch::Contains("knows no stack 'mine'; it knows old1.0"));
}

TEST_CASE("pictures stand on their own, and a page holds them") {
  StudyRequest request = sample_request();
  const NetworkStudy two = study(request);
  const auto pictures = study_pictures(request, two, nullptr);
  std::vector<std::string> names;
  for (const StudyPicture& picture : pictures) {
    names.push_back(picture.name);
    CHECK(picture.svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
    CHECK(picture.svg.ends_with("</svg>\n"));
    for (const char* never : {"nan", "inf", "<script", "href", "url("})
      CHECK(picture.svg.find(never) == std::string::npos);
  }
  CHECK(names == std::vector<std::string>{"time", "cost", "pareto", "memory"});
  CHECK_THAT(pictures[0].svg,
             Contains("batch size") && Contains("hours") && Contains("k80, batch 2: batch 9.00 ms"));
  CHECK_THAT(pictures[3].svg, Contains("batch 4") && Contains("MiB") && Contains("activations"));
  const std::string page =
      study_html_head(request) + study_html_network(request, two, pictures) + study_html_tail(request);
  CHECK_THAT(page, Contains("<h2>two</h2>") && Contains("Fastest:") && Contains("k80 1.00 USD/h: lease"));
  CHECK(page.ends_with("</html>\n"));
  // Without prices there is no cost to draw, without room nothing but the memory.
  for (StudyChoice& one : request.choices) one.price.reset();
  CHECK(study_pictures(request, study(request), nullptr).size() == 2);
  for (StudyChoice& one : request.choices) one.device.memory_gib = 0.1;
  CHECK(study_pictures(request, study(request), nullptr).size() == 1);
}

TEST_CASE("the GPUs of a choice share the batch, exchange gradients and are paid together") {
  StudyRequest request = sample_request();
  request.networks = {study_network("squeezenet1_1")};
  request.batches = {2, 64};
  request.choices = {choice("v100-sxm2", 1), choice("v100-sxm2", 4)};
  request.choices[1].n_gpus = 4;
  const auto predictor = make_predictor("");
  const NetworkStudy result = run_study(request, *predictor).front();
  REQUIRE(result.cells.size() == 4);
  const StudyCell& one = result.cells[1];
  const StudyCell& four = result.cells[3];
  request.batches = {16};
  request.choices.pop_back();
  const StudyCell share = run_study(request, *predictor).front().cells[0];
  CHECK(four.step.communication_ms > 0);
  CHECK(four.step.batch_ms() == Approx(share.step.batch_ms() + four.step.communication_ms));
  CHECK(four.step.batch_ms() < one.step.batch_ms());
  CHECK(four.memory.activations_bytes == share.memory.activations_bytes);
  CHECK(four.memory.gradients_bytes > share.memory.gradients_bytes);
  CHECK(four.epoch_s < one.epoch_s);
  CHECK(four.cost_usd.value() == Approx(4 * four.total_s / 3600));
  // Two samples for four GPUs.
  CHECK_FALSE(result.cells[2].enough_samples);
  CHECK_FALSE(result.cells[2].is_eligible());
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
  CHECK_THAT(csv, Contains("\"again, \"\"quoted\"\"\",k80,k80,1,"));
}

TEST_CASE("networks of the zoo in several sizes") {
  const auto params = [](const std::string& sweep, const std::string& name = "resnet50") {
    Warnings warnings;
    const auto networks = sweep_networks("--sweep", {name}, {sweep});
    REQUIRE(networks.size() == 1);
    return decompose(networks[0].open(warnings), {}).params;
  };
  CHECK(params("width=1") == 25557032);
  CHECK(params("resolution=160") == 25557032);
  CHECK(params("width=0.5") < 0.3 * 25557032);
  CHECK(params("width=2") > 3 * 25557032);
  CHECK(params("depth=2") > 1.8 * 25557032);
  CHECK(params("width=0.5", "bert_base") > 0);
  // Its first dense layer reads 5 x 5 instead of 7 x 7 positions.
  CHECK(params("resolution=160", "vgg16") == 138357544 - (49 - 25) * 512 * 4096);
  const auto both =
      sweep_networks("--sweep", {"resnet18", "vit_b_16"}, {"width=0.5,1", "resolution=160,224"});
  REQUIRE(both.size() == 8);
  CHECK(both[1].name == "resnet18 width=0.5 resolution=224");
}

TEST_CASE("every family that scales gives a network in each size") {
  for (const char* name : {"vgg11_bn", "resnext50_32x4d", "densenet121", "mobilenet_v2", "efficientnet_b0",
                           "vit_b_16", "bert_base", "gpt2"}) {
    INFO(name);
    double before = 0;
    for (const char* width : {"width=0.3", "width=0.77", "width=1.5"}) {
      Warnings warnings;
      const double params =
          decompose(sweep_networks("--sweep", {name}, {width, "depth=0.4"})[0].open(warnings), {}).params;
      CHECK(params > 1.2 * before);
      before = params;
    }
  }
}

TEST_CASE("what cannot be swept is refused") {
  for (const auto& [sweep, part] :
       std::vector<std::pair<std::string, std::string>>{{"height=2", "width, depth or"},
                                                        {"width", "width"},
                                                        {"width=", "width"},
                                                        {"width=0", "width"},
                                                        {"width=99", "16"},
                                                        {"resolution=16", "resolution"},
                                                        {"resolution=5000", "4096"},
                                                        {"", "not ''"}}) {
    INFO(sweep);
    CHECK_THROWS_WITH(sweep_networks("--sweep", {"resnet50"}, {sweep}),
                      Contains("--sweep") && Contains(part));
  }
  CHECK_THROWS_WITH(sweep_networks("--sweep", {"alexnet"}, {"width=2"}), Contains("one size"));
  CHECK_THROWS_WITH(sweep_networks("--sweep", {"gpt2"}, {"resolution=64"}), Contains("no images"));
  CHECK_THROWS_WITH(sweep_networks("--sweep", {"my.onnx"}, {"width=2"}), Contains("zoo"));
  CHECK_THROWS_WITH(sweep_networks("--sweep", {"resnet50"}, {"width=2", "width=1"}), Contains("twice"));
}
