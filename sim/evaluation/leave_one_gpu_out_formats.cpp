#include <algorithm>
#include <cmath>
#include <map>

#include "sim/core/json.h"
#include "sim/evaluation/leave_one_gpu_out.h"
#include "sim/report/readable_text.h"
#include "sim/report/text_table.h"

namespace layersim {
namespace {

struct Medians {
  std::vector<double> unseen;
  std::vector<double> calibrated;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

// Errors over the GPUs of each family.
std::map<std::string, Medians> by_family(const std::vector<LeftOutGpu>& gpus) {
  std::map<std::string, Medians> families;
  for (const LeftOutGpu& gpu : gpus) {
    Medians& family = families[gpu.family];
    family.unseen.push_back(gpu.unseen.mape);
    if (!std::isnan(gpu.calibrated_mape)) family.calibrated.push_back(gpu.calibrated_mape);
  }
  return families;
}

Json number(double value) { return std::isnan(value) ? Json(nullptr) : Json(value); }

std::string percent_number(double share) { return std::isnan(share) ? "" : short_number(100 * share); }

}  // namespace

std::string left_out_as_text(const std::vector<LeftOutGpu>& gpus, const LeaveOneGpuOutOptions& options,
                             std::size_t width) {
  std::vector<TextColumn> columns{{.header = "family"},
                                  {.header = "GPU left out"},
                                  {.header = "rows", .right = true},
                                  {.header = "error %", .right = true},
                                  {.header = "median %", .right = true, .importance = 2},
                                  {.header = "RMSE ms", .right = true, .importance = 1},
                                  {.header = "in 90 %", .right = true}};
  const bool calibrated = options.calibration_rows > 0;
  if (calibrated) {
    columns.push_back(
        {.header = "after " + std::to_string(options.calibration_rows) + " rows %", .right = true});
    columns.push_back({.header = "in 90 %", .right = true, .importance = 3});
  }
  TextTable table(std::move(columns));
  table.add_rule();
  const auto families = by_family(gpus);
  for (const auto& [family, medians] : families) {
    for (const LeftOutGpu& gpu : gpus) {
      if (gpu.family != family) continue;
      std::vector<std::string> cells{family,
                                     gpu.gpu,
                                     with_thousands(static_cast<double>(gpu.unseen.n)),
                                     percent_number(gpu.unseen.mape),
                                     percent_number(gpu.unseen.median_ape),
                                     short_number(gpu.unseen.rmse_ms),
                                     percent(gpu.unseen.coverage90)};
      if (calibrated) {
        cells.push_back(percent_number(gpu.calibrated_mape));
        cells.push_back(std::isnan(gpu.calibrated_mape) ? "" : percent(gpu.calibrated_coverage90));
      }
      table.add_row(std::move(cells));
    }
    std::vector<std::string> cells{family, "median", "", percent_number(median(medians.unseen)), "", "", ""};
    if (calibrated) {
      cells.push_back(medians.calibrated.empty() ? "" : percent_number(median(medians.calibrated)));
      cells.emplace_back();
    }
    table.add_row(std::move(cells));
    table.add_rule();
  }
  std::string text =
      table.to_text(width) + '\n' +
      labelled_text("error", "of a network that was trained on the rows of the other GPUs alone", 11, width);
  if (calibrated) {
    text += labelled_text(
        "after",
        "the same network adapted to so many rows of the GPU, which then do not count: mean of " +
            std::to_string(kCalibrationDraws) + " random draws",
        11, width);
  }
  return text;
}

std::string left_out_as_json(const std::vector<LeftOutGpu>& gpus, const LeaveOneGpuOutOptions& options) {
  Json groups = Json::array();
  for (const LeftOutGpu& gpu : gpus) {
    Json group{{"gpu", gpu.gpu},
               {"kind", gpu.family},
               {"mode", "all"},
               {"n", gpu.unseen.n},
               {"mape", number(gpu.unseen.mape)},
               {"median_ape", number(gpu.unseen.median_ape)},
               {"rmse_ms", number(gpu.unseen.rmse_ms)},
               {"pearson", number(gpu.unseen.pearson)},
               {"spearman", number(gpu.unseen.spearman)},
               {"coverage90", number(gpu.unseen.coverage90)}};
    if (options.calibration_rows > 0) {
      group["calibrated"] = {{"rows", options.calibration_rows},
                             {"draws", kCalibrationDraws},
                             {"mape", number(gpu.calibrated_mape)},
                             {"rmse_ms", number(gpu.calibrated_rmse_ms)},
                             {"coverage90", number(gpu.calibrated_coverage90)}};
    }
    groups.push_back(std::move(group));
  }
  Json medians = Json::object();
  for (const auto& [family, errors] : by_family(gpus)) {
    medians[family] = {{"gpus", errors.unseen.size()}, {"mape", median(errors.unseen)}};
    if (!errors.calibrated.empty()) medians[family]["calibrated_mape"] = median(errors.calibrated);
  }
  const Json json{{"schema_version", 1},
                  {"leave_one_gpu_out", true},
                  {"seed", options.seed},
                  {"epochs", options.epochs},
                  {"median_over_gpus", std::move(medians)},
                  {"groups", std::move(groups)}};
  return json.dump(2) + '\n';
}

}  // namespace layersim
