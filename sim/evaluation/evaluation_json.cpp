// JSON of `evaluate`; measures that are not defined are null.

#include <cmath>

#include "sim/core/json.h"
#include "sim/evaluation/evaluation.h"

namespace layersim {
namespace {

Json number(double value) { return std::isnan(value) ? Json(nullptr) : Json(value); }

Json measures(const ErrorMeasures& errors) {
  return {{"n", errors.n},
          {"mape", number(errors.mape)},
          {"median_ape", number(errors.median_ape)},
          {"rmse_ms", number(errors.rmse_ms)},
          {"pearson", number(errors.pearson)},
          {"spearman", number(errors.spearman)}};
}

Json as_json(const RowGroup& group) {
  Json json = Json::object();
  if (!group.gpu.empty()) json["gpu"] = group.gpu;
  if (!group.kind.empty()) json["kind"] = group.kind;
  if (!group.mode.empty()) json["mode"] = group.mode;
  json.update(measures(group.predictor));
  json["coverage90"] = number(group.predictor.coverage90);
  const auto n = static_cast<double>(group.predictor.n);
  json["inside_trained_range"] = static_cast<double>(group.inside_trained_range) / n;
  json["estimated"] = static_cast<double>(group.estimated) / n;
  json["stacks"] = group.stacks;
  json["networks"] = group.networks;
  json["linear"] = measures(group.linear);
  json["roofline"] = measures(group.roofline);
  return json;
}

Json as_json(const std::vector<RowGroup>& groups) {
  Json json = Json::array();
  for (const RowGroup& group : groups) json.push_back(as_json(group));
  return json;
}

}  // namespace

std::string evaluation_as_json(const Evaluation& evaluation, const RowFiles& rows) {
  Json files = Json::array();
  for (const RowFiles::File& file : rows.files) files.push_back({{"file", file.name}, {"rows", file.rows}});
  Json not_evaluated = Json::array();
  for (const auto& [reason, count] : evaluation.left_out) {
    not_evaluated.push_back({{"reason", reason}, {"rows", count}});
  }
  const PredictorProvenance& provenance = evaluation.provenance;
  const Json json{{"schema_version", 1},
                  {"predictor",
                   {{"file", evaluation.predictor_file},
                    {"trainer", provenance.trainer},
                    {"date", provenance.date},
                    {"seed", provenance.seed},
                    {"test_share", provenance.test_share}}},
                  {"files", std::move(files)},
                  {"held_out", evaluation.held_out},
                  {"trained_on", evaluation.trained_on},
                  {"overall", as_json(evaluation.overall)},
                  {"kinds", as_json(evaluation.kinds)},
                  {"gpus", as_json(evaluation.gpus)},
                  {"groups", as_json(evaluation.groups)},
                  {"not_evaluated", std::move(not_evaluated)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace layersim
