#include "sim/cli/hybrid_output.h"

#include "sim/cli/output.h"
#include "sim/report/readable_text.h"
#include "sim/report/text_table.h"

namespace layersim {
namespace {

ConvCounts count_all(const std::vector<HybridStep>& steps) {
  ConvCounts counts;
  for (const HybridStep& step : steps) counts += step.convolutions;
  return counts;
}

double stored_share(const std::vector<HybridStep>& steps) {
  double stored_ms = 0;
  double conv_ms = 0;
  for (const HybridStep& step : steps) {
    stored_ms += step.stored_ms;
    conv_ms += step.conv_ms;
  }
  return conv_ms > 0 ? stored_ms / conv_ms : 0;
}

Json counts_of(const ConvCounts& counts) {
  return {{"stored", counts.stored}, {"predicted", counts.predicted}};
}

}  // namespace

Json counts_json(const std::vector<HybridStep>& steps) {
  Json json = counts_of(count_all(steps));
  json["stored_time_share"] = stored_share(steps);
  return json;
}

std::string counts_text(const std::vector<HybridStep>& steps) {
  const ConvCounts counts = count_all(steps);
  return with_thousands(counts.stored) + " of " + with_thousands(counts.stored + counts.predicted) +
         " convolutions were in the store (" + percent(stored_share(steps)) +
         " of their time), the others were predicted";
}

Json prediction_json(const HybridModel& model, const std::vector<HybridStep>& steps,
                     const Warnings& warnings) {
  Json rows = Json::array();
  for (const HybridStep& step : steps) {
    const double batch_ms = model.predict_ms(step.conv_ms, step.rest);
    const Interval interval = model.interval_ms(batch_ms, step.network, step.gpu);
    rows.push_back({{"network", step.network},
                    {"gpu", step.gpu},
                    {"batch", step.batch},
                    {"batch_ms", batch_ms},
                    {"batch_ms_low", interval.low},
                    {"batch_ms_high", interval.high},
                    {"conv_ms", step.conv_ms},
                    {"convolutions", counts_of(step.convolutions)}});
  }
  return {{"schema_version", 1},
          {"method", "hybrid"},
          {"rows", std::move(rows)},
          {"convolutions", counts_json(steps)},
          {"warnings", warnings.all()}};
}

std::string prediction_text(const HybridModel& model, const std::vector<HybridStep>& steps) {
  TextTable table({{.header = "network", .shrinks = true},
                   {.header = "GPU"},
                   {.header = "batch", .right = true},
                   {.header = "time ms", .right = true},
                   {.header = "90 % from", .right = true},
                   {.header = "to", .right = true},
                   {.header = "convolutions ms", .right = true, .importance = 2},
                   {.header = "stored", .right = true, .importance = 1},
                   {.header = "predicted", .right = true, .importance = 1}});
  table.add_rule();
  for (const HybridStep& step : steps) {
    const double batch_ms = model.predict_ms(step.conv_ms, step.rest);
    const Interval interval = model.interval_ms(batch_ms, step.network, step.gpu);
    table.add_row({step.network, step.gpu, with_thousands(static_cast<double>(step.batch)),
                   short_number(batch_ms), short_number(interval.low), short_number(interval.high),
                   short_number(step.conv_ms), with_thousands(step.convolutions.stored),
                   with_thousands(step.convolutions.predicted)});
  }
  table.add_rule();
  return table.to_text(static_cast<std::size_t>(output_width())) + counts_text(steps) + '\n';
}

Json model_json(const HybridModel& model, const std::vector<HybridStep>& steps, const Warnings& warnings) {
  return {{"schema_version", 1},
          {"method", "hybrid"},
          {"gpus", model.gpus},
          {"networks", model.networks},
          {"left_out_mape", model.left_out_mape},
          {"convolutions", counts_json(steps)},
          {"warnings", warnings.all()}};
}

std::string model_text(const HybridModel& model, const std::vector<HybridStep>& steps,
                       const std::string& file) {
  return short_number(100 * model.left_out_mape) + " % error on what was left out in turn; " +
         counts_text(steps) + "; written to " + file + '\n';
}

Json missing_json(const std::vector<HybridStep>& steps, const ProblemList& list, const std::string& file,
                  const Warnings& warnings) {
  return {{"schema_version", 1},       {"method", "hybrid"},        {"file", file},
          {"problems", list.problems}, {"not_told", list.not_told}, {"convolutions", counts_json(steps)},
          {"warnings", warnings.all()}};
}

std::string missing_text(const std::vector<HybridStep>& steps, const ProblemList& list,
                         const std::string& file) {
  const ConvCounts counts = count_all(steps);
  std::string text = with_thousands(static_cast<double>(list.problems)) + " problems written to " + file +
                     "; the store has " + with_thousands(counts.stored) + " of " +
                     with_thousands(counts.stored + counts.predicted) + " convolutions\n";
  if (list.not_told > 0)
    text +=
        with_thousands(static_cast<double>(list.not_told)) +
        " more are padded unevenly or have three axes, for which rows have no columns: they stay predicted\n";
  return text;
}

}  // namespace layersim
