#include <catch2/catch.hpp>
#include <cmath>

#include "sim/core/json.h"
#include "sim/evaluation/evaluation.h"
#include "tests/evaluation/plain_predictor.h"
#include "tests/trainers/measured_samples.h"

using namespace layersim;

namespace {

struct Evaluated {
  RowFiles rows;
  Evaluation evaluation;
};

Evaluated evaluated(std::size_t count, const std::string& file = "rows.csv") {
  Evaluated result;
  result.rows.set = tests::softmax_samples(count);
  for (std::size_t i = 0; i < count; ++i) result.rows.set.samples[i].row = static_cast<std::uint32_t>(i);
  result.rows.files = {{file, count, 0, {}}};
  result.rows.set.left_out["rows of kind 'allreduce'"] = 3;
  result.evaluation = evaluate_rows(
      tests::plain_predictor({tests::plain_network("rowwise", {"k80", "v100-sxm2"}, "pytorch2.1", 1.0, 1.5)}),
      result.rows, {});
  result.evaluation.predictor_file = "plain.h5";
  return result;
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("the JSON has the promised keys, with fractions") {
  const Evaluated result = evaluated(100);
  const Json json = Json::parse(evaluation_as_json(result.evaluation, result.rows));
  CHECK(json["schema_version"] == 1);
  REQUIRE(json["groups"].size() == 2);
  const Json& group = json["groups"][0];
  CHECK(group["gpu"] == "k80");
  CHECK(group["kind"] == "softmax");
  CHECK(group["mode"] == "forward");
  CHECK(group["n"] == 50);
  for (const char* key : {"mape", "median_ape", "rmse_ms", "pearson", "spearman", "coverage90"}) {
    INFO(key);
    CHECK(group[key].is_number());
    CHECK(json["overall"][key].is_number());
  }
  CHECK(json["overall"]["n"] == 100);
  CHECK(group["coverage90"].get<double>() <= 1);
  for (const char* baseline : {"linear", "roofline"}) {
    CHECK(group[baseline]["mape"].get<double>() > 0);
    CHECK(group[baseline]["n"] == 50);
  }
  CHECK(json["not_evaluated"] == Json({{{"reason", "rows of kind 'allreduce'"}, {"rows", 3}}}));
  CHECK(json["files"][0] == Json({{"file", "rows.csv"}, {"rows", 100}}));
  // 5 rows a GPU: no line through FLOP.
  const Evaluated few = evaluated(10);
  CHECK(Json::parse(evaluation_as_json(few.evaluation, few.rows))["groups"][0]["linear"]["mape"].is_null());
}

TEST_CASE("the table names groups, totals, baselines and what was left out") {
  const Evaluated result = evaluated(100);
  const std::string text = evaluation_as_text(result.evaluation, result.rows, 120);
  for (const char* part : {"softmax", "k80", "v100-sxm2", "error %", "linear %", "roofline %",
                           "rowwise@pytorch2.1", "3 rows of 100: rows of kind 'allreduce'"}) {
    INFO(part);
    CHECK(text.find(part) != std::string::npos);
  }
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    CHECK(end - begin <= 120);
    begin = end + 1;
  }
}

TEST_CASE("the CSV has a line a row, with missing numbers empty") {
  const Evaluated result = evaluated(10, "a,b.csv");
  const std::string csv = evaluation_as_csv(result.evaluation, result.rows);
  CHECK(occurrences(csv, "\n") == 11);
  CHECK(csv.find("\n\"a,b.csv\",1,k80,pytorch2.1,fp32,softmax,forward,") != std::string::npos);
  CHECK(csv.find("nan") == std::string::npos);
}

TEST_CASE("the plot is whole XML with every GPU, and thinned where there are many rows") {
  const Evaluated few = evaluated(100);
  const std::string svg = scatter_as_svg(few.evaluation, few.rows);
  CHECK(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  CHECK(svg.ends_with("</svg>\n"));
  CHECK(svg.find("k80") != std::string::npos);
  CHECK(svg.find("drawn") == std::string::npos);
  CHECK(svg.find("nan") == std::string::npos);
  CHECK(svg.find("http", 40) == std::string::npos);  // nothing is loaded from elsewhere
  const auto points = [](const std::string& text) { return occurrences(text, "M"); };
  CHECK(points(svg) >= 100);
  const Evaluated many = evaluated(12000);
  const std::string thinned = scatter_as_svg(many.evaluation, many.rows);
  CHECK(thinned.find("5,000 of them drawn") != std::string::npos);
  CHECK(points(thinned) < 5200);
  CHECK(points(thinned) >= 5000);
}
