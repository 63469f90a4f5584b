// layersim regression predict: times by the formula, of a network or of the rows of a table.

#include <cmath>

#include "sim/cli/method_command.h"
#include "sim/cli/method_runs.h"
#include "sim/cli/output.h"
#include "sim/cli/regression_rows.h"
#include "sim/cli/regression_subcommands.h"
#include "sim/cli/regression_unfitted.h"
#include "sim/core/error.h"
#include "sim/core/warnings.h"
#include "sim/methods/regression/regression_model.h"
#include "sim/report/readable_text.h"
#include "sim/report/text_table.h"

namespace layersim {
namespace {

// What is said of a prediction that no row like it was fitted for; empty where there is nothing.
std::string describe(const Novelty& novelty, const RegressionRow& row) {
  std::vector<std::string> words;
  if (novelty.gpu) words.push_back("the GPU " + row.gpu);
  if (novelty.network) words.push_back("the network " + row.network);
  words.insert(words.end(), novelty.outside.begin(), novelty.outside.end());
  return name_list(words);
}

Error no_time(const RegressionRow& row, const Novelty& novelty, const std::string& what) {
  return {ErrorKind::nothing_predicted,
          (row.place.empty() ? what : row.place) +
              ": the formula gives no time, so far outside what was fitted are " +
              name_list(novelty.outside)};
}

// A formula is a guess outside the rows that it was fitted to; where parts that it takes away leave nothing
// it tells no time.
void check_formula(const RegressionModel& model, const RegressionRow& row, const Novelty& novelty,
                   const std::string& what) {
  if (!novelty.outside.empty() && !model.tells_time(row.features, novelty)) throw no_time(row, novelty, what);
}

// Rows of a table are named by their line, a network by itself.
std::string place_of(const RegressionRow& row, const std::string& what) {
  return row.place.empty() ? what : row.place.substr(row.place.rfind("line"));
}

// The predictions of all rows: JSON, table and warnings.
struct Predictions {
  Json rows = Json::array();
  TextTable text{{{.header = "row", .shrinks = true},
                  {.header = "time ms", .right = true},
                  {.header = "90 % from", .right = true},
                  {.header = "to", .right = true}}};
  Warnings warnings;

  void add(const RegressionModel& model, const RegressionRow& row, const std::string& what) {
    const Novelty novelty = model.novelty(row.features, row.network, row.gpu);
    check_formula(model, row, novelty, what);
    const double batch_ms = model.predict_ms(row.features, novelty);
    if (!std::isfinite(batch_ms)) throw no_time(row, novelty, what);
    const Interval interval = model.interval_ms(batch_ms, novelty);
    const std::string place = place_of(row, what);
    rows.push_back({{"network", row.network},
                    {"gpu", row.gpu},
                    {"batch_ms", batch_ms},
                    {"batch_ms_low", interval.low},
                    {"batch_ms_high", interval.high},
                    {"new_network", novelty.network},
                    {"new_gpu", novelty.gpu},
                    {"outside_trained_range", novelty.outside}});
    text.add_row({place, short_number(batch_ms), short_number(interval.low), short_number(interval.high)});
    for (const std::string& warning : row.network_warnings)
      warnings.add((row.place.empty() ? what : row.network) + ": " + warning);
    if (const std::string unlike = describe(novelty, row); !unlike.empty())
      warnings.add(place + ": outside what was fitted: " + unlike);
  }
};

// The table of rows, or the network at --batch, with what the predictor reads.
RegressionTable read_to_predict(const Arguments& given, const RegressionModel& model) {
  const std::string& what = only_regression_table(given);
  const bool is_table = what.ends_with(".csv") || what.ends_with(".csv.gz");
  if (is_table) check_no_run_options(given);
  if (!is_table && !given.has("batch"))
    throw bad_use("regression predict of a network needs --gpu and --batch");
  RunNetworks networks;
  RegressionTable table =
      is_table ? read_regression_rows(given, false, model.features)
               : table_of_run(read_method_run(given, what, given.count("batch", 1).value_or(1)), networks);
  with_context(what, [&] { arrange_features(table, model.features); });
  return table;
}

}  // namespace

void regression_predict(const Arguments& given) {
  const RegressionModel model = read_regression_model(regression_predictor_file(given));
  const RegressionTable table = read_to_predict(given, model);
  Predictions predictions;
  for (const std::string& warning : warn_of_unfitted(only_regression_table(given), table, model))
    predictions.warnings.add(warning);
  predictions.text.add_rule();
  for (const RegressionRow& row : table.rows) predictions.add(model, row, only_regression_table(given));
  predictions.text.add_rule();
  write_prediction(given,
                   {{"schema_version", 1},
                    {"method", "regression"},
                    {"rows", std::move(predictions.rows)},
                    {"warnings", predictions.warnings.all()}},
                   predictions.text.to_text(static_cast<std::size_t>(output_width())));
  print_warnings(predictions.warnings.all());
}

}  // namespace layersim
