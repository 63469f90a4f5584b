#include "sim/core/json.h"
#include "sim/report/price_report.h"
#include "sim/report/study_report.h"

namespace layersim {
namespace {

constexpr int kSchemaVersion = 1;
constexpr double kMib = 1024.0 * 1024.0;

template <typename Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

std::string text_of(const Json& json) {
  // Names of networks may be no UTF-8.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json choice_json(const StudyChoice& choice) {
  Json json{{"name", choice.name},
            {"gpu", choice.device.key},
            {"gpu_name", choice.device.display_name},
            {"n_gpus", choice.n_gpus},
            {"memory_gib", choice.device.memory_gib},
            {"usable_mib", usable_bytes(choice.device) / kMib},
            {"price", price_json(choice.price)},
            {"purchase", nullptr}};
  if (choice.purchase) {
    const Purchase& purchase = *choice.purchase;
    json["purchase"] = {{"card_usd", purchase.card_usd},
                        {"date", purchase.date},
                        {"watts", purchase.watts},
                        {"power_usd_per_hour", purchase.power_usd_per_hour},
                        {"usd_per_hour", purchase.usd_per_hour},
                        {"break_even_h", or_null(purchase.break_even_h)}};
  }
  return json;
}

Json row_json(const StudyRequest& request, const StudyCell& cell) {
  const StudyChoice& choice = request.choices[cell.choice];
  const StepTime& step = cell.step;
  Json json;
  json["choice"] = choice.name;
  json["gpu"] = choice.device.key;
  json["n_gpus"] = choice.n_gpus;
  json["batch"] = cell.batch;
  json["batch_ms"] = step.batch_ms();
  json["batch_ms_low"] = step.interval_ms ? Json(step.interval_ms->low) : Json(nullptr);
  json["batch_ms_high"] = step.interval_ms ? Json(step.interval_ms->high) : Json(nullptr);
  json["forward_ms"] = step.forward_ms;
  json["backward_ms"] = step.backward_ms;
  json["optimizer_ms"] = step.optimizer_ms;
  json["overhead_ms"] = step.overhead_ms;
  json["input_wait_ms"] = step.input_wait_ms;
  json["communication_ms"] = step.communication_ms;
  json["samples_per_s"] = cell.samples_per_s();
  json["epoch_s"] = cell.epoch_s;
  json["total_s"] = cell.total_s;
  json["total_s_low"] = cell.total_interval_s ? Json(cell.total_interval_s->low) : Json(nullptr);
  json["total_s_high"] = cell.total_interval_s ? Json(cell.total_interval_s->high) : Json(nullptr);
  json["memory_mib"] = cell.memory.total_bytes() / kMib;
  json["enough_samples"] = cell.enough_samples;
  json["fits"] = cell.fits();
  json["cost_usd"] = or_null(cell.cost_usd);
  json["within_budget"] = cell.within_budget;
  json["within_deadline"] = cell.within_deadline;
  json["inside_trained_range"] = cell.inside_trained_range;
  return json;
}

}  // namespace

std::string study_json_head(const StudyRequest& request) {
  Json json;
  json["schema_version"] = kSchemaVersion;
  json["mode"] = name(request.mode);
  json["optimizer"] =
      request.mode == Mode::forward ? Json(nullptr) : Json(name(request.optimizer.value_or(Optimizer::sgd)));
  json["precision"] = request.precision ? Json(name(*request.precision)) : Json(nullptr);
  json["dataset_size"] = request.dataset_size;
  json["validation_size"] = request.validation_size;
  json["epochs"] = request.epochs;
  json["budget_usd"] = or_null(request.budget_usd);
  json["deadline_h"] = or_null(request.deadline_h);
  json["batches"] = request.batches;
  Json& choices = json["choices"] = Json::array();
  for (const StudyChoice& choice : request.choices) choices.push_back(choice_json(choice));
  std::string text = text_of(json);
  text.pop_back();
  return text + ",\n\"networks\": [\n";
}

std::string study_json_network(const StudyRequest& request, const NetworkStudy& study) {
  Json json;
  json["network"] = study.network;
  json["stack"] = text_or_null(study.stack);
  json["params"] = study.params;
  json["macs_per_sample"] = study.macs_per_sample;
  json["fastest"] = or_null(study.fastest);
  json["cheapest"] = or_null(study.cheapest);
  json["pareto"] = study.pareto;
  Json& best = json["best_batches"] = Json::array();
  for (const auto& row : study.best_of_choice) best.push_back(or_null(row));
  json["warnings"] = study.warnings;
  std::string text = text_of(json);
  text.pop_back();
  text += ", \"rows\": [";
  bool is_first = true;
  for (const StudyCell& cell : study.cells) {
    text += (is_first ? "\n" : ",\n") + text_of(row_json(request, cell));
    is_first = false;
  }
  return text + "]}";
}

std::string study_json(const StudyRequest& request, std::span<const NetworkStudy> studies) {
  std::string text = study_json_head(request);
  bool is_first = true;
  for (const NetworkStudy& study : studies) {
    if (!is_first) text += kStudyJsonSeparator;
    text += study_json_network(request, study);
    is_first = false;
  }
  return text + std::string(kStudyJsonTail);
}

}  // namespace layersim
