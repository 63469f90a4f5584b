// layersim evaluate ROWS...: how well a predictor does on measured layers.

#include <cstdio>

#include "sim/cli/command_line.h"
#include "sim/cli/device_options.h"
#include "sim/cli/option_groups.h"
#include "sim/cli/output.h"
#include "sim/cli/progress_line.h"
#include "sim/core/error.h"
#include "sim/evaluation/evaluation.h"
#include "sim/evaluation/leave_one_gpu_out.h"
#include "trainers/trainer_list.h"

namespace layersim {
namespace {

constexpr std::size_t kMostFiles = 1000;

RowFiles read_rows(const Arguments& given, SampleUse use) {
  Warnings warnings;
  RowFiles rows;
  if (const auto gpu_file = given.text("gpu-file")) rows.set.devices.push_back(read_own_device(*gpu_file));
  for (const std::string& word : given.words) add_file(rows, word, use, warnings);
  for (const std::string& warning : warnings.all()) std::fprintf(stderr, "warning: %s\n", warning.c_str());
  return rows;
}

void evaluate_predictor(const Arguments& given) {
  for (const char* option : {"calibration-rows", "trainer", "seed", "epochs"}) {
    if (given.has(option)) throw bad_use("--" + std::string(option) + " goes with --leave-one-gpu-out");
  }
  const std::string file = given.text("predictor").value_or(shipped_predictor_file().string());
  const PredictorFile predictor = read_predictor_file(file);
  const RowFiles rows = read_rows(given, SampleUse::evaluation);
  Evaluation evaluation = evaluate_rows(predictor, rows, {read_kinds(given), given.has("held-out")});
  evaluation.predictor_file = file;

  bool table = true;
  const auto write = [&](const char* option, std::string (*format)(const Evaluation&, const RowFiles&)) {
    const auto target = given.text(option);
    if (!target) return;
    write_text(*target, format(evaluation, rows));
    table = table && *target != "-";
  };
  write("json", evaluation_as_json);
  write("csv", evaluation_as_csv);
  write("svg", scatter_as_svg);
  if (table) print(evaluation_as_text(evaluation, rows, static_cast<std::size_t>(output_width())));
}

void evaluate_left_out_gpus(const Arguments& given) {
  for (const char* option : {"predictor", "held-out", "csv", "svg"}) {
    if (given.has(option))
      throw bad_use("--" + std::string(option) + " does not go with --leave-one-gpu-out");
  }
  LeaveOneGpuOutOptions wanted;
  wanted.kinds = read_kinds(given);
  wanted.calibration_rows = static_cast<std::size_t>(given.count("calibration-rows", 1).value_or(0));
  wanted.seed = static_cast<std::uint64_t>(given.count("seed", 0).value_or(1));
  wanted.epochs = read_training_epochs(given, wanted.epochs);
  const std::string trainer_name = given.text("trainer").value_or("");
  check_trainer(trainer_name);
  const RowFiles rows = read_rows(given, SampleUse::training);
  const Trainer& trainer = find_trainer(trainer_name);
  ProgressLine progress;
  const auto gpus = leave_one_gpu_out(
      rows.set, trainer, wanted,
      [&](const std::string& network, const TrainingProgress& state) { progress.show(network, state); });
  const std::string json = given.text("json").value_or("");
  if (!json.empty()) write_text(json, left_out_as_json(gpus, wanted));
  if (json != "-") print(left_out_as_text(gpus, wanted, static_cast<std::size_t>(output_width())));
}

int run(const Command& command, const std::vector<std::string>& arguments) {
  options::options_description rows("rows and predictor");
  rows.add_options()  //
      ("predictor", input_file(),
       "a predictor that `layersim train` wrote (default: the one that comes along)")                   //
      ("kinds", text_value("A,B"), "only these layer kinds or feature families (default: all)")         //
      ("held-out", "only rows whose configuration the predictor's own split kept out of its training")  //
      ("gpu-file", input_file(), "a device from a JSON file, for rows with its key");
  options::options_description left_out("devices that were not measured");
  left_out.add_options()  //
      ("leave-one-gpu-out",
       "train on the rows of all GPUs but one and predict those of that one, each GPU in turn (minutes)")  //
      ("calibration-rows", text_value("N"),
       "also after adapting to N random rows of the GPU that was left out")                             //
      ("trainer", text_value("NAME"), ("one of " + trainer_names() + " (default: the first)").c_str())  //
      ("epochs", text_value("N"), "of each training (default: 20)")                                     //
      ("seed", text_value("N"), "of weights and draws (default: 1)");
  options::options_description output("output");
  output.add_options()                                                                    //
      ("json", output_file(), "write the tables as JSON; - is standard output")           //
      ("csv", output_file(), "write each row with its prediction; - is standard output")  //
      ("svg", output_file(), "write a plot of predicted against measured time; - is standard output");
  const auto given = read_arguments(command, {rows, left_out, output}, arguments, kMostFiles);
  if (!given) return 0;
  if (given->words.empty()) throw bad_use("evaluate takes files with measured rows");
  if (given->has("leave-one-gpu-out")) {
    evaluate_left_out_gpus(*given);
  } else {
    evaluate_predictor(*given);
  }
  return 0;
}

}  // namespace

Command evaluate_command() {
  return {.name = "evaluate",
          .summary = "how well a predictor does on measured layers: errors by GPU, kind and mode",
          .usage = "ROWS...",
          .example =
              "layersim evaluate conv.csv.gz --held-out --svg conv.svg\n"
              "         layersim evaluate bench.h5 --predictor predictor.h5 --kinds conv,dense --json -\n"
              "         layersim evaluate conv.csv.gz --leave-one-gpu-out --calibration-rows 20",
          .run = run};
}

}  // namespace layersim
