// layersim regression predict|train|evaluate: a readable formula for the time of runs, from a table of them.

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <memory>

#include "hwdb/device_file.h"
#include "sim/cli/method_command.h"
#include "sim/cli/method_runs.h"
#include "sim/cli/output.h"
#include "sim/cli/progress_line.h"
#include "sim/core/error.h"
#include "sim/methods/regression/regression_model.h"
#include "sim/report/readable_text.h"
#include "sim/report/text_table.h"
#include "sim/store/provenance.h"
#include "trainers/methods/regression_training.h"

namespace layersim {
namespace {

const std::string& only_table(const Arguments& given) {
  if (given.words.size() != 2)
    throw bad_use("regression " + given.words.front() + " takes one table of runs");
  return given.words[1];
}

RegressionTable read_rows(const Arguments& given, bool needs_target,
                          const std::vector<std::string>& read_by_predictor = {}) {
  std::vector<Device> own_devices;
  if (const auto file = given.text("gpu-file")) own_devices.push_back(read_device_file(*file));
  return read_regression_table(only_table(given),
                               {comma_separated(given.text("features").value_or("")),
                                given.text("target").value_or(""), needs_target, read_by_predictor},
                               own_devices);
}

std::string predictor_file(const Arguments& given) {
  return given.text("predictor").value_or(shipped_regression_file().string());
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::function<void(int part, int parts)> show_progress() {
  return [line = std::make_shared<ProgressLine>()](int part, int parts) {
    line->show("fit without part " + std::to_string(part + 1) + " of " + std::to_string(parts),
               part + 1 == parts);
  };
}

std::string formulas_text(const RegressionModel& model) {
  if (model.step_terms.empty()) return formula(model);
  return formula(model) + "\nof networks, GPUs and sizes unlike those fitted:\n" + step_formula(model);
}

void train(const Arguments& given) {
  const auto output = given.text("output");
  if (!output) throw bad_use("regression train needs -o FILE for the predictor");
  const RegressionTable table = read_rows(given, true);
  const std::string left_out =
      given.text("leave-out").value_or(table.rows.front().network.empty() ? "configuration" : "network");
  RegressionModel model = with_context(only_table(given), [&] {
    return fit_regression(table, parse_left_out(table, left_out), seed_of(given));
  });
  model.date = new_provenance("runs").date;
  model.sources = source_lines(std::array{only_table(given)});
  PendingFile pending(*output);
  write_regression_model(model, pending.path());
  pending.commit();
  write_result(given,
               {{"schema_version", 1},
                {"method", "regression"},
                {"rows", table.rows.size()},
                {"networks", model.networks},
                {"terms", model.terms.size()},
                {"formula", formula(model)},
                {"formula_outside", step_formula(model)},
                {"left_out", model.left_out},
                {"left_out_mape", model.left_out_mape}},
               formulas_text(model) + '\n' + short_number(100 * model.left_out_mape) +
                   " % error where each " + model.left_out + " was left out; written to " + *output + '\n');
}

bool knows_stack(const RegressionModel& model, const std::string& stack) {
  return std::find(model.features.begin(), model.features.end(), "stack=" + stack) != model.features.end();
}

// What is said of a prediction that no row like it was fitted for; empty where there is nothing.
std::string describe(const Novelty& novelty, const RegressionRow& row) {
  std::vector<std::string> words;
  if (novelty.gpu) words.push_back("the GPU " + row.gpu);
  if (novelty.network) words.push_back("the network " + row.network);
  words.insert(words.end(), novelty.outside.begin(), novelty.outside.end());
  return listed(words);
}

// A formula is a guess outside the rows that it was fitted to; where parts that it takes away leave nothing
// it tells no time.
void check_formula(const RegressionModel& model, const RegressionRow& row, const Novelty& novelty,
                   const std::string& what) {
  if (novelty.outside.empty() || model.tells_time(row.features, novelty)) return;
  throw Error(ErrorKind::nothing_predicted,
              (row.place.empty() ? what : row.place) +
                  ": the formula gives no time, so far outside what was fitted are " +
                  listed(novelty.outside));
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
  std::vector<std::string> warnings;

  void add(const RegressionModel& model, const RegressionRow& row, const std::string& what) {
    const Novelty novelty = model.novelty(row.features, row.network, row.gpu);
    check_formula(model, row, novelty, what);
    const double batch_ms = model.predict_ms(row.features, novelty);
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
    if (const std::string unlike = describe(novelty, row); !unlike.empty())
      warnings.push_back(place + ": outside what was fitted: " + unlike);
  }
};

// The table of rows, or the network at --batch, with what the predictor reads.
RegressionTable read_to_predict(const Arguments& given, const RegressionModel& model) {
  const std::string& what = only_table(given);
  const bool is_table = what.ends_with(".csv") || what.ends_with(".csv.gz");
  if (!is_table && !given.has("batch"))
    throw bad_use("regression predict of a network needs --gpu and --batch");
  RunNetworks networks;
  RegressionTable table =
      is_table ? read_rows(given, false, model.features)
               : table_of_run(read_method_run(given, what, given.count("batch", 1).value_or(1)), networks);
  with_context(what, [&] { arrange_features(table, model.features); });
  return table;
}

void predict(const Arguments& given) {
  const RegressionModel model = read_regression_model(predictor_file(given));
  const RegressionTable table = read_to_predict(given, model);
  Predictions predictions;
  if (const auto stack = given.text("stack"); stack && !knows_stack(model, *stack))
    predictions.warnings.push_back("the formula has no term for --stack " + *stack +
                                   ": the time is that of any software");
  predictions.text.add_rule();
  for (const RegressionRow& row : table.rows) predictions.add(model, row, only_table(given));
  predictions.text.add_rule();
  write_prediction(given,
                   {{"schema_version", 1},
                    {"method", "regression"},
                    {"rows", std::move(predictions.rows)},
                    {"warnings", predictions.warnings}},
                   predictions.text.to_text(static_cast<std::size_t>(output_width())));
  for (const std::string& warning : predictions.warnings)
    std::fprintf(stderr, "warning: %s\n", warning.c_str());
}

struct Evaluated {
  ErrorTable errors;
  EvaluationLabel label;
};

Evaluated evaluate_extrapolating(const RegressionTable& table, const std::string& what, std::uint64_t seed) {
  EvaluationLabel label{"regression", "", what, ""};
  if (what == "gpu") {
    label.how = "each GPU was predicted by a formula fitted to all others";
    return {evaluate_regression_left_out(table, {LeftOut::What::gpu, {}}, seed, show_progress()), label};
  }
  label.how = what == "depth"
                  ? "of each family the deepest network was predicted by a formula fitted to the rest"
                  : "the rows with the largest " + what + " were predicted by a formula fitted to the rest";
  return {evaluate_extrapolation(table, what == "gpus" ? "n_gpus" : what, seed), label};
}

Evaluated evaluate_chosen(const Arguments& given, RegressionTable table) {
  const auto left_out = [&](const LeftOut& what) {
    return with_context(only_table(given), [&] {
      return evaluate_regression_left_out(table, what, seed_of(given), show_progress());
    });
  };
  if (const auto what = given.text("extrapolate"))
    return with_context(only_table(given),
                        [&] { return evaluate_extrapolating(table, *what, seed_of(given)); });
  if (given.has("held-out"))
    return {left_out({}),
            {"regression", "", "configuration",
             "each fifth of the configurations was predicted by a formula fitted to the others"}};
  if (given.has("leave-one-network-out"))
    return {left_out({LeftOut::What::network, {}}),
            {"regression", "", "network", "each network was predicted by a formula fitted to all others"}};
  const std::string file = predictor_file(given);
  const RegressionModel model = read_regression_model(file);
  with_context(only_table(given), [&] { arrange_features(table, model.features); });
  return {evaluate_regression(table, model),
          {"regression", file, nullptr,
           "nothing: by " + file +
               ", which may have seen these runs; --leave-one-network-out tells the error on new ones"}};
}

void evaluate(const Arguments& given) {
  int ways = 0;
  for (const char* way : {"held-out", "leave-one-network-out", "extrapolate", "predictor"})
    ways += given.has(way) ? 1 : 0;
  if (ways > 1)
    throw bad_use("--held-out, --leave-one-network-out, --extrapolate and --predictor exclude each other");
  const RegressionTable table = read_rows(given, true);
  const Evaluated evaluated = with_context(only_table(given), [&] { return evaluate_chosen(given, table); });
  write_evaluation(given, evaluated.label, evaluated.errors);
}

constexpr std::array<Subcommand, 3> kSubcommands{Subcommand{"predict", predict}, Subcommand{"train", train},
                                                 Subcommand{"evaluate", evaluate}};

int run(const Command& command, const std::vector<std::string>& arguments) {
  constexpr std::size_t kMostWords = 2;
  options::options_description rows("rows");
  rows.add_options()                                                                            //
      ("features", text_value("A,B"), "columns to learn from (default: found by their names)")  //
      ("target", text_value("COLUMN"), "the column to predict, in _ms or _s (default: found)");
  options::options_description predicting = method_run_option_group();
  predicting.add_options()("batch", text_value("N"), "samples in a batch");
  options::options_description training("predict, train, evaluate");
  training.add_options()  //
      ("predictor", input_file(),
       "what `regression train` wrote (default: the one that comes along)")  //
      ("output,o", binary_output_file(), "train: where the predictor goes")  //
      ("leave-out", text_value("WHAT"),
       "train: what cross-validation leaves out: configuration, network, family, gpu, or a feature")  //
      ("held-out", "evaluate: predict each fifth of the configurations by the others")                //
      ("leave-one-network-out", "evaluate: predict each network by all others")                       //
      ("extrapolate", text_value("WHAT"),
       "evaluate: predict the largest batch, the deepest networks (depth), each GPU (gpu), the most GPUs "
       "(gpus), or "
       "the largest values of a feature by the rest")         //
      ("seed", text_value("N"), "of the folds (default: 1)")  //
      ("csv", output_file(), "evaluate: write each row with its prediction; - is standard output");
  options::options_description output("output");
  output.add_options()("json", output_file(), "write JSON; - is standard output");
  const auto given = read_arguments(command, {rows, predicting, training, output}, arguments, kMostWords, 1);
  if (given) run_subcommand(command.name, kSubcommands, *given);
  return 0;
}

}  // namespace

Command regression_command() {
  return {.name = "regression",
          .summary = "a readable formula for the time of runs, fitted to a table of them",
          .usage = "predict NET --gpu GPU --batch N | predict|train|evaluate RUNS.csv",
          .example =
              "layersim regression train runs.csv -o regression.h5\n"
              "         layersim regression predict resnet50 --gpu t4 --batch 64\n"
              "         layersim regression evaluate runs.csv --extrapolate gpu",
          .run = run};
}

}  // namespace layersim
