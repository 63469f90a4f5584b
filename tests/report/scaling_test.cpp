#include "sim/report/scaling.h"

#include <catch2/catch.hpp>

#include "sim/core/json.h"

using namespace layersim;

namespace {

Report report(int gpus, double batch_ms) {
  Report result;
  result.network.file = "net";
  result.network.batch = 10 * gpus;
  RunReport& run = result.run.emplace();
  run.gpu = "t4";
  run.n_gpus = gpus;
  run.batch_ms = batch_ms;
  run.parallel.emplace().interconnect = "wire";
  return result;
}

ScalingCurve curve() {
  ScalingCurve result;
  add_point(result, report(2, 100));
  add_point(result, report(8, 125));
  return result;
}

}  // namespace

TEST_CASE("efficiency is that of a GPU against the first point") {
  const ScalingCurve scaling = curve();
  CHECK(scaling.points[0].samples_per_s == Approx(200));
  CHECK(scaling.points[0].efficiency == 1);
  CHECK(scaling.points[1].samples_per_s == Approx(640));
  CHECK(scaling.points[1].efficiency == Approx(0.8));
}

TEST_CASE("a scaling curve as table, JSON and CSV") {
  const std::string table = scaling_table(curve(), 120);
  CHECK(table.find("80 %") != std::string::npos);
  CHECK(table.find("wire") != std::string::npos);
  const Json json = Json::parse(scaling_json(curve()));
  CHECK(json["gpu"] == "t4");
  REQUIRE(json["points"].size() == 2);
  CHECK(json["points"][1]["efficiency"].get<double>() == Approx(0.8));
  CHECK(scaling_csv(curve()).find("net,t4,8,1,80,125,0,0,640,0.8,") != std::string::npos);
}
