// layersim evaluate ROWS...: how well a predictor does on measured layers.

#include <cstdio>

#include "hwdb/device_file.h"
#include "sim/cli/command_line.h"
#include "sim/cli/output.h"
#include "sim/core/error.h"
#include "sim/evaluation/evaluation.h"

namespace layersim {
namespace {

constexpr std::size_t kMostFiles = 1000;

void write_outputs(const Arguments& given, const Evaluation& evaluation, const RowFiles& rows) {
  bool table = true;
  const auto write = [&](const char* option, std::string (*format)(const Evaluation&, const RowFiles&)) {
    const auto file = given.text(option);
    if (!file) return;
    write_text(*file, format(evaluation, rows));
    table = table && *file != "-";
  };
  write("json", evaluation_as_json);
  write("csv", evaluation_as_csv);
  write("svg", scatter_as_svg);
  if (table) print(evaluation_as_text(evaluation, rows, static_cast<std::size_t>(output_width())));
}

int run(const Command& command, const std::vector<std::string>& arguments) {
  options::options_description group("options");
  group.add_options()  //
      ("predictor", text_value("FILE"),
       "a predictor that `layersim train` wrote (default: the one that comes along)")                   //
      ("kinds", text_value("A,B"), "only these layer kinds or feature families (default: all)")         //
      ("held-out", "only rows whose configuration the predictor's own split kept out of its training")  //
      ("gpu-file", text_value("FILE"), "a device from a JSON file, for rows with its key")              //
      ("json", text_value("FILE"), "write the tables as JSON; - is standard output")                    //
      ("csv", text_value("FILE"), "write each row with its prediction; - is standard output")           //
      ("svg", text_value("FILE"), "write a plot of predicted against measured time");
  const auto given = read_arguments(command, {group}, arguments, kMostFiles);
  if (!given) return 0;
  if (given->words.empty()) throw bad_use("evaluate takes files with measured rows");
  const std::string file = given->text("predictor").value_or(shipped_predictor_file().string());
  const PredictorFile predictor = read_predictor_file(file);

  Warnings warnings;
  RowFiles rows;
  if (const auto gpu_file = given->text("gpu-file")) rows.set.devices.push_back(read_device_file(*gpu_file));
  for (const std::string& word : given->words) add_file(rows, word, warnings);
  for (const std::string& warning : warnings.all()) std::fprintf(stderr, "warning: %s\n", warning.c_str());
  EvaluationOptions evaluation_options;
  evaluation_options.kinds = comma_separated(given->text("kinds").value_or(""));
  evaluation_options.held_out = given->has("held-out");
  Evaluation evaluation = evaluate_rows(predictor, rows, evaluation_options);
  evaluation.predictor_file = file;
  write_outputs(*given, evaluation, rows);
  return 0;
}

}  // namespace

Command evaluate_command() {
  return {.name = "evaluate",
          .summary = "how well a predictor does on measured layers: errors by GPU, kind and mode",
          .usage = "ROWS...",
          .example =
              "layersim evaluate conv.csv.gz --held-out --svg conv.svg\n"
              "         layersim evaluate bench.h5 --predictor predictor.h5 --kinds conv,dense --json -",
          .run = run};
}

}  // namespace layersim
