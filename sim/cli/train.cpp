// layersim train FILE...: trains a predictor on measured rows and tells how well it does on rows kept out.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>

#include "sim/cli/command_line.h"
#include "sim/cli/device_options.h"
#include "sim/cli/option_groups.h"
#include "sim/cli/output.h"
#include "sim/cli/progress_line.h"
#include "sim/cli/train_runs.h"
#include "sim/core/error.h"
#include "sim/core/json.h"
#include "sim/predictors/predictor_file.h"
#include "sim/report/readable_text.h"
#include "sim/report/text_table.h"
#include "sim/store/byte_stream.h"
#include "sim/store/provenance.h"
#include "sim/store/store_header.h"
#include "sim/store/store_reader.h"
#include "trainers/train.h"
#include "trainers/trainer_list.h"

namespace layersim {
namespace {

// Held-out errors of several groups of rows as one.
struct HeldOut {
  std::int64_t trained = 0;
  std::int64_t rows = 0;
  double ape_sum = 0;
  double square_sum = 0;
  double inside = 0;

  void add(const KnownRows& known) {
    const auto count = static_cast<double>(known.held_out_rows);
    trained += known.rows;
    rows += known.held_out_rows;
    ape_sum += count * known.held_out_mape;
    square_sum += count * known.held_out_rmse_ms * known.held_out_rmse_ms;
    inside += count * known.held_out_coverage;
  }
  [[nodiscard]] double mape() const { return ape_sum / static_cast<double>(rows); }
  [[nodiscard]] double rmse_ms() const { return std::sqrt(square_sum / static_cast<double>(rows)); }
  [[nodiscard]] double coverage() const { return inside / static_cast<double>(rows); }
};

std::string network_name(const TrainedNetwork& network) { return network.family + '@' + network.stack_group; }

Json held_out_as_json(const HeldOut& held_out) {
  Json json{{"trained_rows", held_out.trained}, {"n", held_out.rows}};
  if (held_out.rows == 0) return json;
  json["mape"] = held_out.mape();
  json["rmse_ms"] = held_out.rmse_ms();
  json["coverage90"] = held_out.coverage();
  return json;
}

std::string report_as_json(const PredictorFile& predictor, const Json& left_out) {
  Json networks = Json::array();
  for (const TrainedNetwork& network : predictor.networks) {
    HeldOut overall;
    Json groups = Json::array();
    for (const KnownRows& known : network.known) {
      overall.add(known);
      HeldOut own;
      own.add(known);
      Json group{
          {"gpu", known.gpu}, {"stack", known.stack}, {"precision", known.precision}, {"mode", known.pass}};
      group.update(held_out_as_json(own));
      groups.push_back(std::move(group));
    }
    networks.push_back({{"name", network_name(network)},
                        {"overall", held_out_as_json(overall)},
                        {"groups", std::move(groups)}});
  }
  const PredictorProvenance& provenance = predictor.provenance;
  return Json{{"schema_version", 1},           {"trainer", provenance.trainer},
              {"seed", provenance.seed},       {"test_share", provenance.test_share},
              {"sources", provenance.sources}, {"networks", std::move(networks)},
              {"runs_left_out", left_out}}
             .dump(2) +
         '\n';
}

void add_report_row(TextTable& table, const std::string& network, const std::string& gpu,
                    const std::string& stack, const HeldOut& held_out) {
  std::vector<std::string> cells{network, gpu, stack, with_thousands(static_cast<double>(held_out.trained)),
                                 with_thousands(static_cast<double>(held_out.rows))};
  if (held_out.rows > 0) {
    cells.push_back(short_number(100 * held_out.mape()));
    cells.push_back(short_number(held_out.rmse_ms()));
    cells.push_back(percent(held_out.coverage()));
  } else {
    cells.insert(cells.end(), 3, "");
  }
  table.add_row(std::move(cells));
}

std::string report_as_text(const PredictorFile& predictor) {
  TextTable table({{.header = "network"},
                   {.header = "GPU"},
                   {.header = "stack", .importance = 2},
                   {.header = "trained", .right = true, .importance = 1},
                   {.header = "kept out", .right = true},
                   {.header = "error %", .right = true},
                   {.header = "RMSE ms", .right = true, .importance = 3},
                   {.header = "inside 90 %", .right = true}});
  table.add_rule();
  for (const TrainedNetwork& network : predictor.networks) {
    std::map<std::pair<std::string, std::string>, HeldOut> groups;
    HeldOut overall;
    for (const KnownRows& known : network.known) {
      groups[{known.gpu, known.stack}].add(known);
      overall.add(known);
    }
    for (const auto& [key, held_out] : groups) {
      add_report_row(table, network_name(network), key.first, key.second, held_out);
    }
    add_report_row(table, network_name(network), "all", "", overall);
    table.add_rule();
  }
  return table.to_text(static_cast<std::size_t>(output_width()));
}

// A line for the file, or for each file that went into a store.
void add_sources(std::vector<std::string>& sources, const std::string& file) {
  if (!looks_like_store(file)) {
    sources.push_back(std::filesystem::path(file).filename().string() + " sha256 " + file_sha256(file));
    return;
  }
  const StoreReader store(file);
  for (const Provenance& record : store.provenance()) {
    const std::string rows = ", " + std::to_string(record.rows) + " rows of kind '" + record.kind + "'";
    sources.push_back(record.source_file.empty()
                          ? "measured " + record.date + rows
                          : record.source_file + " sha256 " + record.source_sha256 + rows);
  }
}

// Rows of several files.
struct ReadRows {
  SampleSet set;
  std::vector<std::pair<std::string, std::size_t>> files;  // each with the samples up to its end
};

ReadRows read_samples(const std::vector<std::string>& files, const std::optional<std::string>& gpu_file,
                      Warnings& warnings) {
  ReadRows rows;
  SampleSet& set = rows.set;
  if (gpu_file) set.devices.push_back(read_own_device(*gpu_file));
  for (const std::string& file : files) {
    with_context(file, [&] {
      for (const Table& table : read_tables(file, warnings)) {
        const std::size_t left_out = add_samples(set, table);
        if (left_out == 0) continue;
        warnings.add(file + ": " + std::to_string(left_out) + " of " + std::to_string(table.rows()) +
                     " rows of kind '" + table.kind() + "' are not of a layer that can be trained");
      }
    });
    rows.files.emplace_back(file, set.samples.size());
  }
  return rows;
}

// The first few by name.
std::string listed(const std::vector<std::string>& files) {
  constexpr std::size_t kMostNamed = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(files.size(), kMostNamed); ++i)
    text.append(text.empty() ? "" : ", ").append(files[i]);
  if (files.size() > kMostNamed) text += " and " + std::to_string(files.size() - kMostNamed) + " more";
  return text;
}

void warn_of_untrained(const UntrainedNetwork& network, const ReadRows& rows) {
  std::vector<std::string> files;
  for (const std::size_t sample : network.samples) {
    const auto file = std::find_if(rows.files.begin(), rows.files.end(),
                                   [&](const auto& one) { return sample < one.second; });
    if (files.empty() || files.back() != file->first) files.push_back(file->first);
  }
  std::fprintf(stderr, "warning: %s: %s is not trained: %s\n", listed(files).c_str(), network.name.c_str(),
               network.reason.c_str());
}

double parse_share(const std::string& text) {
  char* end = nullptr;
  const double share = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(share >= 0 && share <= 0.9)) {
    throw bad_use("--test-share: '" + text + "' is not a share from 0 to 0.9");
  }
  return share;
}

int run(const Command& command, const std::vector<std::string>& arguments) {
  constexpr std::size_t kMostFiles = 1000;
  constexpr std::int64_t kMostFolds = 1000;
  options::options_description group("options");
  group.add_options()                                                                                   //
      ("output,o", binary_output_file(), "where the predictor goes (needed)")                           //
      ("trainer", text_value("NAME"), ("one of " + trainer_names() + " (default: the first)").c_str())  //
      ("kinds", text_value("A,B"), "only these layer kinds or feature families (default: all)")         //
      ("gpu-file", input_file(), "a device from a JSON file, for rows with its key")                    //
      ("seed", text_value("N"), "of the split and of the weights (default: 1)")                         //
      ("test-share", text_value("X"),
       "share of the configurations to keep out for the test (default: 0.2)")        //
      ("epochs", text_value("N"), "instead of the number planned for each network")  //
      ("runs", input_file(),
       "table of measured runs, as validate takes it: also trains the model of whole runs")  //
      ("layers-from", input_file("PREDICTOR"),
       "take the networks for single layers from there instead of training them")  //
      ("runs-from", input_file("PREDICTOR"),
       "take the model of whole runs from there instead of training it")  //
      ("leave-out", text_value("WHAT"),
       "with --runs, train nothing but tell the error on what was left out: network, family or gpu")  //
      ("folds", text_value("N"),
       "parts that are left out in turn (default: each network, family or GPU alone)")  //
      ("json", output_file(), "write the report as JSON; - is standard output");
  const auto given = read_arguments(command, {group}, arguments, kMostFiles);
  if (!given) return 0;
  const auto output = given->text("output");
  const auto runs = given->text("runs");
  const auto layers_from = given->text("layers-from");
  const auto runs_from = given->text("runs-from");
  const auto leave_out = given->text("leave-out");
  if (runs && runs_from)
    throw bad_use("--runs trains a model of whole runs, --runs-from takes one: give one of them");
  if (leave_out && !runs) throw bad_use("--leave-out goes with --runs FILE");
  if (leave_out && output) throw bad_use("--leave-out tells errors and writes no predictor: leave out -o");
  const bool has_rows =
      !given->words.empty() || (runs && (leave_out || layers_from)) || (runs_from && layers_from);
  if (!has_rows || (!output && !leave_out)) {
    throw bad_use("train takes files with measured rows and -o FILE for the predictor");
  }
  const std::string json = given->text("json").value_or("");
  TrainSettings settings;
  settings.kinds = read_kinds(*given);
  settings.seed = static_cast<std::uint64_t>(given->count("seed", 0).value_or(1));
  settings.epochs = read_training_epochs(*given, 0);
  if (const auto share = given->text("test-share")) settings.test_share = parse_share(*share);
  const std::string trainer_name = given->text("trainer").value_or("");
  check_trainer(trainer_name);
  RunTrainSettings run_settings;
  run_settings.options.seed = settings.seed;
  run_settings.folds = static_cast<int>(given->count("folds", 2, kMostFolds).value_or(run_settings.folds));
  if (settings.epochs > 0) run_settings.options.epochs = settings.epochs;

  Warnings warnings;
  const ReadRows rows = read_samples(given->words, given->text("gpu-file"), warnings);
  const SampleSet& set = rows.set;
  for (const std::string& warning : warnings.all()) std::fprintf(stderr, "warning: %s\n", warning.c_str());
  const Trainer& trainer = find_trainer(trainer_name);
  if (leave_out) {
    const auto what = static_cast<LeaveOut>(parse_choice("--leave-out", *leave_out, leave_out_names()));
    const RunSet run_set = read_run_set({*runs, settings.seed}, set);
    const auto held_out = cross_validate(run_set, what, find_run_trainer(), run_settings, show_run_progress);
    if (!json.empty()) write_text(json, held_out_as_json(run_set, what, held_out).dump(2) + '\n');
    if (json != "-") print(held_out_as_text(run_set, what, held_out));
    return 0;
  }
  ProgressLine progress;
  PredictorFile predictor;
  Json left_out = Json::array();  // runs predicted without their network or device
  if (layers_from) {
    predictor = read_predictor_file(*layers_from);
  } else {
    TrainingResult trained = with_context(listed(given->words), [&] {
      return train_networks(
          set, trainer, settings,
          [&](const std::string& network, const TrainingProgress& state) { progress.show(network, state); });
    });
    for (const UntrainedNetwork& network : trained.untrained) warn_of_untrained(network, rows);
    predictor.networks = std::move(trained.networks);
  }
  if (runs) {
    const RunSet run_set = read_run_set({*runs, settings.seed}, set);
    TrainedRuns trained = train_runs(run_set, find_run_trainer(), run_settings, show_run_progress);
    predictor.runs = std::move(trained.model);
    for (const auto& [what, held_out] :
         {std::pair(LeaveOut::network, &trained.networks), std::pair(LeaveOut::gpu, &trained.devices)}) {
      left_out.push_back(held_out_as_json(run_set, what, *held_out));
      if (json != "-") print(held_out_as_text(run_set, what, *held_out));
    }
  }
  const Provenance present = new_provenance("");
  const PredictorProvenance of_layers = predictor.provenance;  // empty unless they come from a file
  predictor.provenance = {.tool_version = present.tool_version,
                          .trainer = layers_from ? of_layers.trainer : std::string(trainer.name()),
                          .date = present.date,
                          .seed = settings.seed,
                          .sources = of_layers.sources,
                          .test_share = layers_from ? of_layers.test_share : settings.test_share};
  std::vector<std::string> files = given->words;
  if (runs) files.push_back(*runs);
  std::vector<std::string> sources;
  if (runs_from) sources = take_run_model(*runs_from, predictor);
  for (const std::string& file : files) add_sources(sources, file);
  for (std::string& source : sources) {
    std::vector<std::string>& known = predictor.provenance.sources;  // of a file that already had runs
    if (std::find(known.begin(), known.end(), source) == known.end()) known.push_back(std::move(source));
  }
  write_predictor_file(predictor, *output);
  if (!json.empty()) write_text(json, report_as_json(predictor, left_out));
  if (json != "-") print(report_as_text(predictor));
  return 0;
}

}  // namespace

Command train_command() {
  return {.name = "train",
          .summary = "trains a predictor on measured layers and reports its error on rows kept out",
          .usage = "FILE... -o PREDICTOR",
          .example =
              "layersim train bench.h5 -o predictor.h5\n"
              "layersim train bench.h5 --runs runs.csv -o predictor.h5\n"
              "layersim train bench.h5 --runs runs.csv --leave-out network\n"
              "layersim train --layers-from layers.h5 --runs-from predictor.h5 -o both.h5\n"
              "layersim train conv.csv.gz --kinds conv --trainer tiny_dnn -o conv.h5 --json report.json",
          .run = run};
}

}  // namespace layersim
