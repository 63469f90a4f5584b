#include "sim/cli/transfer_output.h"

#include <algorithm>

#include "sim/cli/output.h"
#include "sim/core/strict_json.h"
#include "sim/methods/transfer/operation_classes.h"
#include "sim/report/readable_text.h"
#include "sim/report/text_table.h"

namespace layersim {
namespace {

constexpr std::size_t kIndent = 11;
constexpr std::size_t kMostShown = 20;

std::size_t width() { return static_cast<std::size_t>(output_width()); }

std::string line(std::string_view label, const std::string& text) {
  return labelled_text(label, text, kIndent, width());
}

std::string milliseconds(double time_ms) { return short_number(time_ms) + " ms"; }

Json mapped_json(const std::vector<MappedOperation>& mapped) {
  Json list = Json::array();
  for (const MappedOperation& operation : mapped) {
    list.push_back({{"name", operation.name},
                    {"mapped_to", operation.mapped_to.empty() ? Json(nullptr) : Json(operation.mapped_to)},
                    {"class", operation.operation_class},
                    {"share", operation.share}});
  }
  return list;
}

Json one_prediction(const PredictedProfile& predicted) {
  const TransferPrediction& prediction = predicted.prediction;
  Json json{{"batch_ms", prediction.batch_ms},     {"batch_ms_low", prediction.low_ms},
            {"batch_ms_high", prediction.high_ms}, {"dense_ms", prediction.dense_ms},
            {"forest_ms", prediction.forest_ms},   {"linear_ms", prediction.linear_ms},
            {"anchor_ms", predicted.anchor_ms}};
  const OperationProfile& profile = predicted.profile;
  if (!profile.network.empty()) json["network"] = profile.network;
  if (profile.batch > 0) json["batch"] = profile.batch;
  if (profile.pixel > 0) json["pixel"] = profile.pixel;
  json["mapped"] = mapped_json(predicted.mapped);
  json["warnings"] = profile.warnings;
  return json;
}

std::string mapped_text(const std::vector<MappedOperation>& mapped) {
  double share = 0;
  for (const MappedOperation& operation : mapped) share += operation.share;
  std::string text;
  for (const MappedOperation& operation : mapped) {
    if (operation.share < 0.01) continue;
    text += (text.empty() ? "" : ", ") + keep_end(printable(operation.name), 40) + " -> " +
            (operation.mapped_to.empty() ? operation.operation_class : operation.mapped_to);
  }
  return percent(share) + " of the time in operations of unknown names" + (text.empty() ? "" : ": " + text);
}

}  // namespace

std::vector<MappedOperation> map_operations(const OperationProfile& profile) {
  const double total_ms = profile.device_ms();
  std::vector<MappedOperation> mapped;
  for (const OperationTime& operation : profile.device) {
    const OperationMatch match = match_operation(operation.name);
    if (match.is_known) continue;
    mapped.push_back({operation.name, match.mapped_to,
                      std::string(operation_classes()[match.operation_class].name),
                      operation.time_ms / total_ms});
  }
  return mapped;
}

Json prediction_json(const TransferPair& pair, const std::vector<PredictedProfile>& predicted) {
  Json json{{"schema_version", 1}, {"method", "transfer"}, {"anchor", pair.anchor}, {"target", pair.target}};
  if (predicted.size() == 1) {
    json.update(one_prediction(predicted.front()));
    return json;
  }
  Json& list = json["predictions"] = Json::array();
  for (const PredictedProfile& one : predicted) list.push_back(one_prediction(one));
  return json;
}

std::string prediction_text(const TransferPair& pair, const std::vector<PredictedProfile>& predicted) {
  if (predicted.size() > 1) {
    TextTable table({{.header = "network", .shrinks = true},
                     {.header = "pixel", .right = true},
                     {.header = "batch", .right = true},
                     {.header = pair.anchor + " ms", .right = true},
                     {.header = pair.target + " ms", .right = true},
                     {.header = "90 % from", .right = true},
                     {.header = "to", .right = true}});
    table.add_rule();
    for (const PredictedProfile& one : predicted) {
      table.add_row({one.profile.network, std::to_string(one.profile.pixel),
                     std::to_string(one.profile.batch), short_number(one.anchor_ms),
                     short_number(one.prediction.batch_ms), short_number(one.prediction.low_ms),
                     short_number(one.prediction.high_ms)});
    }
    table.add_rule();
    return table.to_text(width());
  }
  const PredictedProfile& one = predicted.front();
  const TransferPrediction& prediction = one.prediction;
  std::string text =
      line("batch", milliseconds(prediction.batch_ms) + " on " + pair.target + " (90 % between " +
                        short_number(prediction.low_ms) + " and " + short_number(prediction.high_ms) + "), " +
                        milliseconds(one.anchor_ms) + " on " + pair.anchor);
  text += line("median of", "dense network " + short_number(prediction.dense_ms) + ", random forest " +
                                short_number(prediction.forest_ms) + ", linear regression " +
                                short_number(prediction.linear_ms));
  if (!one.mapped.empty()) text += line("mapped", mapped_text(one.mapped));
  for (const std::string& warning : one.profile.warnings) text += line("warning", warning);
  return text;
}

Json model_json(const TransferModel& model) {
  Json pairs = Json::array();
  for (const TransferPair& pair : model.pairs) {
    pairs.push_back({{"anchor", pair.anchor},
                     {"target", pair.target},
                     {"workloads", pair.rows},
                     {"left_out_mape", pair.left_out_mape},
                     {"half_width", pair.half_width}});
  }
  return {{"schema_version", 1}, {"method", "transfer"},     {"networks", model.networks},
          {"seed", model.seed},  {"sources", model.sources}, {"pairs", std::move(pairs)}};
}

std::string model_text(const TransferModel& model) {
  TextTable table({{.header = "anchor"},
                   {.header = "target"},
                   {.header = "workloads", .right = true},
                   {.header = "error % of networks left out", .right = true}});
  table.add_rule();
  for (const TransferPair& pair : model.pairs) {
    table.add_row({pair.anchor, pair.target, with_thousands(static_cast<double>(pair.rows)),
                   short_number(100 * pair.left_out_mape)});
  }
  table.add_rule();
  return table.to_text(width());
}

Json evaluation_json(const TransferEvaluation& evaluation, const std::string& predictor,
                     const std::vector<std::string>& seen) {
  Json json{{"schema_version", 1},
            {"method", "transfer"},
            {"predictor", predictor.empty() ? Json(nullptr) : Json(predictor)},
            {"left_out", predictor.empty() ? Json("network") : Json(nullptr)},
            {"trained_on", seen}};
  json.update(error_table_json(evaluation.pairs));
  json["batch_scaling"] = error_table_json(evaluation.batch);
  json["pixel_scaling"] = error_table_json(evaluation.pixel);
  return json;
}

std::string evaluation_text(const TransferEvaluation& evaluation, const std::string& predictor,
                            const std::vector<std::string>& seen) {
  std::string text = error_table_text(evaluation.pairs, width()) + '\n';
  const auto scaling = [&](const ErrorTable& table) {
    if (table.rows.empty()) return std::string("no workload with three sizes");
    const MethodErrors all = group_rows(table, 0, 0).front();
    return short_number(100 * all.errors.mape) + " % error of " +
           with_thousands(static_cast<double>(all.errors.n)) +
           " times between the smallest and the largest size (straight line: " +
           short_number(100 * all.baselines.front().mape) + " %)";
  };
  text += line("batch", scaling(evaluation.batch));
  text += line("pixel", scaling(evaluation.pixel));
  text +=
      line("error",
           "mean of |predicted - measured| / measured; scaled anchor: the anchor's time times one factor");
  if (predictor.empty())
    text += line("left out", "each network was predicted by models trained on all others");
  if (!predictor.empty()) text += line("predictor", predictor);
  if (!seen.empty()) {
    text += line("warning", "the predictor was trained on networks of these rows (" + name_list(seen) +
                                "): --leave-one-network-out tells the error on networks that are new");
  }
  return text;
}

Json profile_json(const std::string& file, const std::vector<OperationProfile>& profiles) {
  const OperationProfile& profile = profiles.front();
  Json operations = Json::array();
  for (const OperationTime& operation : profile.device) {
    const OperationMatch match = match_operation(operation.name);
    operations.push_back({{"name", operation.name},
                          {"time_ms", operation.time_ms},
                          {"count", operation.count},
                          {"class", operation_classes()[match.operation_class].name},
                          {"mapped_to", match.mapped_to.empty() ? Json(nullptr) : Json(match.mapped_to)}});
  }
  const auto or_null = [](const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
  };
  return {{"schema_version", 1},
          {"file", file},
          {"format", profile.format},
          {"profiles", profiles.size()},
          {"operations", profile.operations},
          {"kernels", profile.kernels},
          {"kernel_us", 1000 * profile.kernel_ms},
          {"memcpy_us", 1000 * profile.memcpy_ms},
          {"memset_us", 1000 * profile.memset_ms},
          {"host_us", 1000 * profile.host_ms},
          {"devices", profile.devices},
          {"steps", profile.steps},
          {"step_ms", or_null(profile.step_ms)},
          {"device_idle_ms", or_null(profile.device_idle_ms)},
          {"device_operations", std::move(operations)},
          {"warnings", profile.warnings}};
}

std::string profile_text(const OperationProfile& profile, std::size_t profiles) {
  TextTable table({{.header = "operation", .shrinks = true},
                   {.header = "class"},
                   {.header = "count", .right = true, .importance = 1},
                   {.header = "ms", .right = true},
                   {.header = "share", .right = true}});
  table.add_rule();
  const double total_ms = profile.device_ms();
  for (std::size_t i = 0; i < std::min(profile.device.size(), kMostShown); ++i) {
    const OperationTime& operation = profile.device[i];
    table.add_row({printable(operation.name),
                   std::string(operation_classes()[match_operation(operation.name).operation_class].name),
                   operation.count > 0 ? with_thousands(static_cast<double>(operation.count)) : "",
                   short_number(operation.time_ms), percent(operation.time_ms / total_ms)});
  }
  table.add_rule();
  std::string text = table.to_text(width()) + '\n';
  if (profile.device.size() > kMostShown)
    text += line("not shown", std::to_string(profile.device.size() - kMostShown) + " shorter operations");
  text += line("format", profile.format + (profiles > 1 ? ", the first of " + std::to_string(profiles) : ""));
  text +=
      line("device", milliseconds(profile.kernel_ms) + " of operations, " + milliseconds(profile.memcpy_ms) +
                         " of copies, " + milliseconds(profile.memset_ms) + " of memset");
  if (profile.host_ms > 0) text += line("host", milliseconds(profile.host_ms));
  text += line("steps", profile.steps > 0 ? std::to_string(profile.steps) : "not told");
  if (profile.step_ms) text += line("step", milliseconds(*profile.step_ms));
  for (const std::string& warning : profile.warnings) text += line("warning", warning);
  return text;
}

std::string scale_text(const std::string& gpu, std::string_view axis, double size, double time_ms) {
  return line("batch",
              milliseconds(time_ms) + " on " + gpu + " at " + std::string(axis) + ' ' + number_text(size));
}

}  // namespace layersim
