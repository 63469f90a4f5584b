// Does a study choose the hardware that measurements choose? Training runs on four cloud instances (PROFET,
// see shared/data/README.md), with the prices that come along. The shipped predictor has learned from these
// runs: this shows that it reproduces them well enough to choose by, not how well it does on new networks.

#include <algorithm>
#include <catch2/catch.hpp>
#include <iostream>
#include <map>

#include "sim/store/csv_reader.h"
#include "sim/study/study.h"
#include "sim/study/study_choices.h"
#include "sim/study/study_selection.h"
#include "tests/shared_files.h"

using namespace layersim;
using namespace layersim::tests;

namespace {

constexpr double kTie = 0.05;

// By instance: measured ms of a batch.
using Measured = std::map<std::string, double>;

// By network file and batch.
std::map<std::string, std::map<std::int64_t, Measured>> read_runs() {
  std::map<std::string, std::map<std::int64_t, Measured>> runs;
  CsvReader reader(shared_path("data/networks/profet_tf25.csv").string());
  const auto& columns = reader.header();
  while (reader.next()) {
    const auto field = [&](std::string_view name) {
      const auto at = std::find(columns.begin(), columns.end(), name) - columns.begin();
      return std::string(reader.fields().at(static_cast<std::size_t>(at)));
    };
    runs[field("model") + "_" + field("pixel")][std::stoll(field("batch"))][field("instance")] =
        std::stod(field("batch_ms"));
  }
  return runs;
}

struct Score {
  int cells = 0;  // that are not within 5 % of a tie
  int right = 0;

  // `measured` and `predicted` in the same unit, less is better.
  void add(const Measured& measured, const Measured& predicted) {
    const auto less = [](const auto& a, const auto& b) { return a.second < b.second; };
    const auto best = std::min_element(measured.begin(), measured.end(), less);
    for (const auto& [instance, value] : measured) {
      if (instance != best->first && value < (1 + kTie) * best->second) return;
    }
    ++cells;
    right += std::min_element(predicted.begin(), predicted.end(), less)->first == best->first ? 1 : 0;
  }
  [[nodiscard]] double share() const { return static_cast<double>(right) / cells; }
};

}  // namespace

TEST_CASE("a study picks the same fastest and the same cheapest instance as measured times and prices") {
  if (!have_shared("data/networks/profet_tf25.csv") || !have_shared("networks/profet")) return;
  StudyRequest request;
  std::map<std::string, double> usd_per_hour;
  const PriceList prices = shipped_prices();
  for (const Instance& instance :
       select_instances("test", "p2.xlarge,g3s.xlarge,g4dn.xlarge,p3.2xlarge", prices)) {
    request.choices.push_back(instance_choice(instance, prices, {}));
    usd_per_hour[instance.name] = instance.usd_per_hour;
  }
  request.stack = "tf2.5";
  request.dataset_size = 50000;
  const auto predictor = make_predictor("");
  std::map<std::string, std::pair<Score, Score>> by_family;  // fastest, cheapest
  for (const auto& [network, batches] : read_runs()) {
    request.networks = {study_network(shared_path("networks/profet/" + network + ".onnx").string())};
    request.batches.clear();
    for (const auto& [batch, measured] : batches) request.batches.push_back(batch);
    const NetworkStudy study = run_study(request, *predictor).front();
    const std::string model = network.substr(0, network.find('_'));
    const bool is_asked = model.starts_with("VGG") || model == "ResNet50";
    for (const auto& [batch, measured] : batches) {
      if (measured.size() < 2) continue;
      Measured predicted;
      Measured predicted_cost;
      Measured cost;
      for (const StudyCell& cell : study.cells) {
        const std::string& instance = request.choices[cell.choice].name;
        const auto found = measured.find(instance);
        if (cell.batch != batch || found == measured.end()) continue;
        predicted[instance] = cell.step.batch_ms();
        predicted_cost[instance] = *cell.cost_usd;
        cost[instance] = found->second * usd_per_hour[instance];
      }
      auto& [fastest, cheapest] = by_family[is_asked ? "VGG and ResNet-50" : "others"];
      fastest.add(measured, predicted);
      cheapest.add(cost, predicted_cost);
    }
  }
  for (const auto& [family, scores] : by_family) {
    const auto& [fastest, cheapest] = scores;
    std::cout << family << ": fastest " << fastest.right << " of " << fastest.cells << ", cheapest "
              << cheapest.right << " of " << cheapest.cells << '\n';
    REQUIRE(fastest.cells > 40);
    REQUIRE(cheapest.cells > 20);
  }
  CHECK(by_family["VGG and ResNet-50"].first.share() >= 0.95);
  CHECK(by_family["VGG and ResNet-50"].second.share() >= 0.95);
}
