// layersim calibrate ROWS... --gpu-file FILE: adapts a predictor to a new device by a few of its measured
// rows.

#include <cstdio>
#include <filesystem>
#include <set>

#include "sim/cli/calibration_rows.h"
#include "sim/cli/command_line.h"
#include "sim/cli/device_options.h"
#include "sim/cli/option_groups.h"
#include "sim/cli/output.h"
#include "sim/core/error.h"
#include "sim/core/json.h"
#include "sim/predictors/predictor_file.h"
#include "sim/report/readable_text.h"
#include "sim/report/text_table.h"
#include "sim/store/byte_stream.h"
#include "trainers/calibrate.h"

namespace layersim {
namespace {

// Mean over all rows of what is an error of each network.
double overall(const std::vector<CalibrationResult>& results, double CalibrationResult::*error) {
  double sum = 0;
  double rows = 0;
  for (const CalibrationResult& result : results) {
    sum += result.*error * static_cast<double>(result.rows);
    rows += static_cast<double>(result.rows);
  }
  return sum / rows;
}

// Why not to trust the fit; empty: it helps.
std::string doubt_of_fit(const CalibrationResult& result) {
  const std::string errors = "error before " + short_number(100 * result.mape_before) + " %, after " +
                             short_number(100 * result.mape_after) + " %";
  if (result.mape_after > result.mape_before) return "the rows make " + result.network + " worse: " + errors;
  if (result.adapted && result.mape_after > 1) return result.network + " stays far off the rows: " + errors;
  return {};
}

std::string joined(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text.append(text.empty() ? "" : ", ").append(name);
  return text;
}

std::string result_as_json(const Device& device, const std::vector<CalibrationResult>& results,
                           const Warnings& warnings) {
  Json networks = Json::array();
  std::size_t rows = 0;
  for (const CalibrationResult& result : results) {
    rows += result.rows;
    networks.push_back({{"name", result.network},
                        {"stacks", result.stacks},
                        {"n", result.rows},
                        {"adapted", result.adapted},
                        {"mape_before", result.mape_before},
                        {"mape_after", result.mape_after}});
  }
  return Json{{"schema_version", 1},
              {"gpu", device.key},
              {"overall",
               {{"n", rows},
                {"mape_before", overall(results, &CalibrationResult::mape_before)},
                {"mape_after", overall(results, &CalibrationResult::mape_after)}}},
              {"networks", std::move(networks)},
              {"warnings", warnings.all()}}
             .dump(2) +
         '\n';
}

std::string result_as_text(const Device& device, const std::vector<CalibrationResult>& results) {
  TextTable table({{.header = "network"},
                   {.header = "rows", .right = true},
                   {.header = "taken as"},
                   {.header = "error before %", .right = true},
                   {.header = "after %", .right = true}});
  table.add_rule();
  for (const CalibrationResult& result : results) {
    table.add_row({result.network, std::to_string(result.rows), joined(result.stacks),
                   short_number(100 * result.mape_before), short_number(100 * result.mape_after)});
  }
  table.add_rule();
  return "adapted to " + device.display_name + " (" + device.key + ")\n\n" +
         table.to_text(static_cast<std::size_t>(output_width())) +
         "\nbefore: the predictor as it was; after: each row predicted by a fit that did not see it\n";
}

void add_provenance(PredictorFile& predictor, const Device& device, const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    predictor.provenance.sources.push_back("calibration for " + device.key + ": " +
                                           std::filesystem::path(file).filename().string() + " sha256 " +
                                           file_sha256(file));
  }
}

int run(const Command& command, const std::vector<std::string>& arguments) {
  constexpr std::size_t kMostFiles = 1000;
  options::options_description group("options");
  group.add_options()                                                                        //
      ("output,o", binary_output_file(), "where the adapted predictor goes (needed)")        //
      ("predictor", input_file(), "predictor to adapt (default: the one that comes along)")  //
      ("json", output_file(), "write the errors before and after as JSON; - is standard output");
  const auto given = read_arguments(command, {device_option_group(), group}, arguments, kMostFiles);
  if (!given) return 0;
  const auto output = given->text("output");
  if (given->words.empty() || !output) {
    throw bad_use("calibrate takes files with measured rows and -o FILE for the adapted predictor");
  }
  const std::string json = given->text("json").value_or("");
  const Device device = read_device(*given);
  const auto predictor_file = given->text("predictor");
  PredictorFile predictor = read_predictor_file(predictor_file.value_or(shipped_predictor_file().string()));

  Warnings warnings;
  const CalibrationRows rows = read_calibration_rows(device, given->words, warnings);
  const std::vector<std::size_t>& samples = rows.distinct;
  if (samples.size() < kLeastCalibrationRows) {
    throw bad_input(given->words.front() + ": has " + std::to_string(samples.size()) +
                    " usable rows; a calibration takes at least " + std::to_string(kLeastCalibrationRows));
  }
  const std::vector<CalibrationResult> results = calibrate(predictor, rows.set, samples);
  bool any = false;
  for (const CalibrationResult& result : results) {
    any = any || result.adapted;
    if (const std::string doubt = doubt_of_fit(result); !doubt.empty()) warnings.add(doubt);
    if (result.adapted) continue;
    warnings.add(std::to_string(result.rows) + " rows are too few to adapt " + result.network +
                 ", which stays as it is: it takes " + std::to_string(kLeastCalibrationRows));
  }
  if (!any) throw bad_input("too few rows of any one layer family: " + warnings.all().back());
  if (predictor.runs) {
    warnings.add(
        "its times of " + device.key +
        " come from the networks for single layers alone: the model of whole runs (host time between "
        "layers, kinds without networks of their own) does not know the device");
  }
  add_provenance(predictor, device, given->words);
  write_predictor_file(predictor, *output);

  if (!json.empty()) write_text(json, result_as_json(device, results, warnings));
  if (json != "-") print(result_as_text(device, results));
  for (const std::string& warning : warnings.all()) std::fprintf(stderr, "warning: %s\n", warning.c_str());
  return 0;
}

}  // namespace

Command calibrate_command() {
  return {.name = "calibrate",
          .summary = "adapts a predictor to a new device by a few measured rows",
          .usage = "ROWS... --gpu-file FILE -o PREDICTOR",
          .example =
              "layersim calibrate rows.csv --gpu-file my.json -o my.h5\n"
              "layersim predict vgg16 --gpu-file my.json --predictor my.h5",
          .run = run};
}

}  // namespace layersim
