#include "sim/cli/train_report.h"

#include <cmath>
#include <map>

#include "sim/cli/output.h"
#include "sim/report/readable_text.h"
#include "sim/report/text_table.h"

namespace layersim {
namespace {

// Held-out errors of several groups of rows as one.
struct HeldOut {
  std::int64_t trained = 0;
  std::int64_t rows = 0;
  double ape_sum = 0;
  double square_sum = 0;
  double inside = 0;

  void add(const KnownRows& known) {
    const auto count = static_cast<double>(known.held_out_rows);
    trained += known.rows;
    rows += known.held_out_rows;
    ape_sum += count * known.held_out_mape;
    square_sum += count * known.held_out_rmse_ms * known.held_out_rmse_ms;
    inside += count * known.held_out_coverage;
  }
  [[nodiscard]] double mape() const { return ape_sum / static_cast<double>(rows); }
  [[nodiscard]] double rmse_ms() const { return std::sqrt(square_sum / static_cast<double>(rows)); }
  [[nodiscard]] double coverage() const { return inside / static_cast<double>(rows); }
};

std::string network_name(const TrainedNetwork& network) { return network.family + '@' + network.stack_group; }

Json held_out_as_json(const HeldOut& held_out) {
  Json json{{"trained_rows", held_out.trained}, {"n", held_out.rows}};
  if (held_out.rows == 0) return json;
  json["mape"] = held_out.mape();
  json["rmse_ms"] = held_out.rmse_ms();
  json["coverage90"] = held_out.coverage();
  return json;
}

void add_row(TextTable& table, const std::string& network, const std::string& gpu, const std::string& stack,
             const HeldOut& held_out) {
  std::vector<std::string> cells{network, gpu, stack, with_thousands(static_cast<double>(held_out.trained)),
                                 with_thousands(static_cast<double>(held_out.rows))};
  if (held_out.rows > 0) {
    cells.push_back(short_number(100 * held_out.mape()));
    cells.push_back(short_number(held_out.rmse_ms()));
    cells.push_back(percent(held_out.coverage()));
  } else {
    cells.insert(cells.end(), 3, "");
  }
  table.add_row(std::move(cells));
}

}  // namespace

std::string train_report_json(const PredictorFile& predictor, const Json& left_out) {
  Json networks = Json::array();
  for (const TrainedNetwork& network : predictor.networks) {
    HeldOut overall;
    Json groups = Json::array();
    for (const KnownRows& known : network.known) {
      overall.add(known);
      HeldOut own;
      own.add(known);
      Json group{
          {"gpu", known.gpu}, {"stack", known.stack}, {"precision", known.precision}, {"mode", known.pass}};
      group.update(held_out_as_json(own));
      groups.push_back(std::move(group));
    }
    networks.push_back({{"name", network_name(network)},
                        {"overall", held_out_as_json(overall)},
                        {"groups", std::move(groups)}});
  }
  const PredictorProvenance& provenance = predictor.provenance;
  return Json{{"schema_version", 1},           {"trainer", provenance.trainer},
              {"seed", provenance.seed},       {"test_share", provenance.test_share},
              {"sources", provenance.sources}, {"networks", std::move(networks)},
              {"runs_left_out", left_out}}
             .dump(2) +
         '\n';
}

std::string train_report_text(const PredictorFile& predictor) {
  TextTable table({{.header = "network"},
                   {.header = "GPU"},
                   {.header = "stack", .importance = 2},
                   {.header = "trained", .right = true, .importance = 1},
                   {.header = "kept out", .right = true},
                   {.header = "error %", .right = true},
                   {.header = "RMSE ms", .right = true, .importance = 3},
                   {.header = "inside 90 %", .right = true}});
  table.add_rule();
  for (const TrainedNetwork& network : predictor.networks) {
    std::map<std::pair<std::string, std::string>, HeldOut> groups;
    HeldOut overall;
    for (const KnownRows& known : network.known) {
      groups[{known.gpu, known.stack}].add(known);
      overall.add(known);
    }
    for (const auto& [key, held_out] : groups) {
      add_row(table, network_name(network), key.first, key.second, held_out);
    }
    add_row(table, network_name(network), "all", "", overall);
    table.add_rule();
  }
  return table.to_text(static_cast<std::size_t>(output_width()));
}

}  // namespace layersim
