// layersim validate RUNS.csv: predicted against measured runs, as a regression test.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "sim/cli/device_options.h"
#include "sim/cli/option_groups.h"
#include "sim/cli/output.h"
#include "sim/core/error.h"
#include "sim/report/validation_report.h"

namespace layersim {
namespace {

options::options_description check_option_group() {
  options::options_description group("checks");
  group.add_options()  //
      ("max-mape", text_value("SHARE"),
       "fails when the mean error of all runs is larger: 0.1 or 10%")  //
      ("max-ape", text_value("SHARE"),
       "fails when the error of any run is larger")  //
      ("baseline", input_file(),
       "fails when a run's error or the mean error is larger than in this JSON of an older validation, "
       "beyond a "
       "tolerance of 0.5 % of a run and 0.1 % of the mean");
  return group;
}

void check_has_layer_times(const RunTable& table) {
  const auto has_times = [&](const Run& run) { return !table.field(run, "layer_times").empty(); };
  if (std::none_of(table.runs.begin(), table.runs.end(), has_times))
    throw bad_input(table.file + ": --blame needs files of measured layers in a column 'layer_times'");
}

options::options_description validation_option_group() {
  options::options_description group("predicting");
  group.add_options()                                                                                     //
      ("method", text_value("NAME"), ("predictor: " + method_names() + " (default: the first)").c_str())  //
      ("predictor", input_file(), "trained predictor (default: the one that comes along)")                //
      ("gpu-file", input_file(), "a device from a JSON file, for runs with its key")                      //
      ("blame",
       "of runs with a file of measured layers (column layer_times): the layers that explain the difference");
  return group;
}

options::options_description validation_output_group() {
  options::options_description group("output");
  group.add_options()                                                          //
      ("json", output_file(), "write JSON; - is standard output")              //
      ("csv", output_file(), "write the rows with what was predicted")         //
      ("junit", output_file(), "write JUnit XML, for continuous integration")  //
      ("all-runs", "every run in the table, however many");
  return group;
}

// "0.1" or "10%".
std::optional<double> read_share(const Arguments& arguments, const char* option) {
  const auto given = arguments.text(option);
  if (!given) return std::nullopt;
  std::string_view text = *given;
  const bool is_percent = text.ends_with('%');
  if (is_percent) text.remove_suffix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc{} && end == text.data() + text.size() && std::isfinite(number);
  if (!is_number || number < 0) {
    throw bad_use("--" + std::string(option) + " takes a share such as 0.1 or 10%, not '" + *given + "'");
  }
  if (!is_percent && number > 1) {
    throw bad_use("--" + std::string(option) + ' ' + *given + " is more than all of the time: write " +
                  *given + "% for percent");
  }
  return is_percent ? number / 100 : number;
}

std::string failed_text(const std::vector<RunCheck>& checks) {
  std::string text;
  for (const RunCheck& check : checks) {
    if (!check.holds) text += (text.empty() ? "" : "; ") + check.name + ": " + check.result;
  }
  return text;
}

int run(const Command& command, const std::vector<std::string>& arguments) {
  const auto given = read_arguments(
      command, {check_option_group(), validation_option_group(), validation_output_group()}, arguments, 1);
  if (!given) return 0;
  if (given->words.empty()) throw bad_use("no table of runs: layersim validate RUNS.csv");
  const Limits limits{.max_mape = read_share(*given, "max-mape"),
                      .max_ape = read_share(*given, "max-ape"),
                      .baseline_file = given->text("baseline").value_or("")};
  const std::string json_file = given->text("json").value_or("");
  const std::string csv_file = given->text("csv").value_or("");
  const std::string junit_file = given->text("junit").value_or("");

  std::vector<Device> devices;
  if (const auto gpu_file = given->text("gpu-file")) devices.push_back(read_own_device(*gpu_file));
  const auto predictor =
      make_predictor(given->text("method").value_or(""), given->text("predictor").value_or(""));
  RunTable table = read_run_table(given->words.front(), devices);
  if (given->has("blame")) check_has_layer_times(table);
  const Validation validation = validate_runs(std::move(table), *predictor, given->has("blame"));
  const std::vector<RunCheck> checks = check_runs(validation, limits);
  if (!json_file.empty()) write_text(json_file, validation_json(validation, checks));
  if (!csv_file.empty()) write_text(csv_file, validation_csv(validation));
  if (!junit_file.empty()) write_text(junit_file, validation_junit(validation, checks));
  if (json_file != "-" && csv_file != "-" && junit_file != "-") {
    print(
        validation_table(validation, checks, {.width = output_width(), .all_runs = given->has("all-runs")}));
  }
  if (validation.overall.n == 0) {
    const RunResult& first = validation.results.front();
    throw Error(ErrorKind::nothing_predicted, validation.table.place(validation.run_of(first)) +
                                                  ": no run could be predicted: " + first.not_predicted);
  }
  if (const std::string failed = failed_text(checks); !failed.empty())
    throw Error(ErrorKind::check_failed, failed);
  return 0;
}

}  // namespace

Command validate_command() {
  return {.name = "validate",
          .summary = "predicted against measured runs of whole networks, as a regression test",
          .usage = "RUNS.csv [OPTION...]",
          .example = "layersim validate runs.csv --max-mape 10% --baseline last.json --junit report.xml",
          .run = run};
}

}  // namespace layersim
