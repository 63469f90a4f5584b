#include <cmath>

#include "sim/core/json.h"
#include "sim/report/validation_report.h"

namespace layersim {
namespace {

constexpr int kSchemaVersion = 1;

template <typename Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

void add_errors(Json& json, const ErrorSummary& errors) {
  json["n"] = errors.n;
  const bool any = errors.n > 0;
  json["mape"] = any ? Json(errors.mape) : Json(nullptr);
  json["median_ape"] = any ? Json(errors.median_ape) : Json(nullptr);
  json["p90_ape"] = any ? Json(errors.p90_ape) : Json(nullptr);
  json["coverage90"] = or_null(errors.coverage90);
}

Json blame_json(const Blame& blame) {
  Json layers = Json::array();
  for (const BlamedLayer& layer : blame.layers) {
    layers.push_back({{"index", layer.index},
                      {"name", layer.name},
                      {"kind", layer.kind.empty() ? Json(nullptr) : Json(layer.kind)},
                      {"measured_ms", layer.measured_ms},
                      {"predicted_ms", layer.predicted_ms},
                      {"difference_ms", layer.difference_ms()},
                      {"share", layer.share}});
  }
  return {{"layers", layers}, {"unmatched", blame.unmatched}, {"unmatched_ms", blame.unmatched_ms}};
}

Json run_json(const Validation& validation, const RunResult& result) {
  const Run& run = validation.run_of(result);
  Json json;
  for (std::size_t i = 0; i < run.row.size(); ++i) json[validation.table.columns[i]] = run.row[i];
  json["line"] = run.line;
  json["network"] = run.network_name;
  json["gpu"] = run.device->key;
  json["stack"] = run.stack.empty() ? Json(nullptr) : Json(run.stack);
  json["precision"] = name(result.precision);
  json["mode"] = name(run.mode);
  json["optimizer"] = name(run.optimizer);
  json["n_gpus"] = run.parallel.cluster.devices;
  json["batch"] = run.batch;
  json["measured_ms"] = run.measured_ms;
  const bool is_predicted = result.is_predicted();
  json["predicted_ms"] = is_predicted ? Json(result.predicted_ms) : Json(nullptr);
  json["low_ms"] = result.interval_ms ? Json(result.interval_ms->low) : Json(nullptr);
  json["high_ms"] = result.interval_ms ? Json(result.interval_ms->high) : Json(nullptr);
  json["ape"] = is_predicted ? Json(result.ape) : Json(nullptr);
  if (result.estimated_layers > 0) json["estimated_layers"] = result.estimated_layers;
  if (result.unmodelled_layers > 0) json["unmodelled_layers"] = result.unmodelled_layers;
  if (!is_predicted) json["not_predicted"] = result.not_predicted;
  if (result.blame) json["blame"] = blame_json(*result.blame);
  return json;
}

}  // namespace

std::string validation_json(const Validation& validation, const std::vector<RunCheck>& checks) {
  Json json;
  json["schema_version"] = kSchemaVersion;
  json["file"] = validation.table.file;
  json["method"] = validation.method;
  add_errors(json, validation.overall);
  json["not_predicted"] = validation.results.size() - validation.overall.n;
  Json& groups = json["groups"] = Json::array();
  for (const ErrorGroup& group : validation.groups) {
    Json row;
    row["by"] = group.by;
    row[group.by] = group.value.empty() ? Json(nullptr) : Json(group.value);
    add_errors(row, group.errors);
    groups.push_back(std::move(row));
  }
  Json& check_list = json["checks"] = Json::array();
  for (const RunCheck& check : checks) {
    check_list.push_back({{"name", check.name}, {"holds", check.holds}, {"result", check.result}});
  }
  Json& runs = json["runs"] = Json::array();
  for (const RunResult& result : validation.results) runs.push_back(run_json(validation, result));
  // Texts of the table may be no UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace layersim
