#include <algorithm>
#include <cmath>

#include "sim/evaluation/baselines.h"
#include "sim/evaluation/evaluation.h"
#include "sim/report/readable_text.h"
#include "sim/report/text_table.h"

namespace layersim {
namespace {

std::string percent_number(double share) { return std::isnan(share) ? "" : short_number(100 * share); }

std::string correlation(double value) {
  if (std::isnan(value)) return "";
  // Never 1 for less than that.
  const auto thousandths = static_cast<int>(std::floor(std::abs(value) * 1000));
  std::string digits = std::to_string(thousandths % 1000);
  digits.insert(0, 3 - digits.size(), '0');
  return (value < 0 ? "-" : "") + std::to_string(thousandths / 1000) + '.' + digits;
}

void add_group(TextTable& table, const RowGroup& group, const std::string& gpu) {
  const ErrorMeasures& errors = group.predictor;
  const bool estimated = group.estimated == errors.n;
  table.add_row({group.kind + (estimated ? " *" : ""), group.mode.empty() ? "all" : group.mode, gpu,
                 with_thousands(static_cast<double>(errors.n)), percent_number(errors.mape),
                 percent_number(errors.median_ape), short_number(errors.rmse_ms), correlation(errors.pearson),
                 correlation(errors.spearman), percent(errors.coverage90), percent_number(group.linear.mape),
                 percent_number(group.roofline.mape)});
}

std::string rows_text(std::size_t count) {
  return with_thousands(static_cast<double>(count)) + (count == 1 ? " row" : " rows");
}

}  // namespace

std::string evaluation_as_text(const Evaluation& evaluation, const RowFiles& rows, std::size_t width) {
  TextTable table({{.header = "kind"},
                   {.header = "mode"},
                   {.header = "GPU"},
                   {.header = "rows", .right = true},
                   {.header = "error %", .right = true},
                   {.header = "median %", .right = true, .importance = 4},
                   {.header = "RMSE ms", .right = true},
                   {.header = "Pearson", .right = true, .importance = 2},
                   {.header = "Spearman", .right = true, .importance = 1},
                   {.header = "in 90 %", .right = true},
                   {.header = "linear %", .right = true, .importance = 5},
                   {.header = "roofline %", .right = true, .importance = 3}});
  table.add_rule();
  std::size_t next = 0;
  for (const RowGroup& kind : evaluation.kinds) {
    for (; next < evaluation.groups.size() && evaluation.groups[next].kind == kind.kind; ++next) {
      add_group(table, evaluation.groups[next], evaluation.groups[next].gpu);
    }
    // Of a GPU with one mode its row says all.
    for (const RowGroup& gpu : evaluation.gpus) {
      const auto modes = std::count_if(
          evaluation.groups.begin(), evaluation.groups.end(),
          [&](const RowGroup& group) { return group.kind == gpu.kind && group.gpu == gpu.gpu; });
      if (gpu.kind == kind.kind && modes > 1) add_group(table, gpu, gpu.gpu);
    }
    add_group(table, kind, "all");
    table.add_rule();
  }
  if (evaluation.kinds.size() > 1) {
    RowGroup overall = evaluation.overall;
    overall.kind = "all";
    add_group(table, overall, "all");
    table.add_rule();
  }
  constexpr std::size_t kIndent = 11;
  std::string text = table.to_text(width) + '\n';
  const auto add = [&](std::string_view label, const std::string& line) {
    text += labelled_text(label, line, kIndent, width);
  };
  const PredictorProvenance& provenance = evaluation.provenance;
  std::string networks;
  for (const std::string& network : evaluation.overall.networks)
    networks.append(networks.empty() ? "" : ", ").append(network);
  add("predictor", evaluation.predictor_file + " (" + provenance.trainer + ", " + provenance.date +
                       "), networks " + networks);
  add("error", "mean of |predicted - measured| / measured; linear and roofline: the same of the baselines");
  add("linear",
      "a line through FLOP for each GPU, stack, precision, kind and mode, fitted to other rows of the same "
      "files (" +
          std::to_string(kLinearFolds) + " parts, each predicted from the others)");
  add("roofline",
      "operations at the peak of the device sheet, or bytes at its bandwidth, whichever takes longer");
  if (evaluation.held_out) {
    add("kept out", "only configurations that training did not see; " +
                        rows_text(evaluation.seen_in_training) + " of the others left out");
  } else if (!evaluation.trained_on.empty()) {
    std::string files;
    for (const std::string& file : evaluation.trained_on)
      files.append(files.empty() ? "" : ", ").append(file);
    add("warning", "rows of the same source were in the predictor's training (" + files +
                       "): --held-out evaluates only those that it did not see");
  }
  if (evaluation.overall.estimated > 0) {
    add("*", "estimates: the predictor has no measured rows of the kind or mode (" +
                 rows_text(evaluation.overall.estimated) + ')');
  }
  for (const auto& [reason, count] : evaluation.left_out) {
    add("left out", rows_text(count) + " of " + with_thousands(static_cast<double>(rows.rows())) + ": " +
                        printable(reason));
  }
  return text;
}

}  // namespace layersim
