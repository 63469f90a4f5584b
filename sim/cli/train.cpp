// layersim train FILE...: trains a predictor on measured rows and tells how well it does on rows kept out.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>

#include "sim/cli/command_line.h"
#include "sim/cli/device_options.h"
#include "sim/cli/option_groups.h"
#include "sim/cli/output.h"
#include "sim/cli/progress_line.h"
#include "sim/cli/train_report.h"
#include "sim/cli/train_runs.h"
#include "sim/core/error.h"
#include "sim/core/json.h"
#include "sim/predictors/predictor_file.h"
#include "sim/store/byte_stream.h"
#include "sim/store/provenance.h"
#include "sim/store/store_header.h"
#include "sim/store/store_reader.h"
#include "trainers/train.h"
#include "trainers/trainer_list.h"

namespace layersim {
namespace {

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

// What the command line asks for.
struct TrainRequest {
  std::vector<std::string> files;  // of measured rows
  std::optional<std::string> gpu_file;
  std::string output;  // empty with leave_out
  std::string json;
  std::optional<std::string> runs;
  std::optional<std::string> layers_from;
  std::optional<std::string> runs_from;
  std::optional<LeaveOut> leave_out;
  std::string trainer;
  TrainSettings settings;
  RunTrainSettings run_settings;
};

// Rows of several files.
struct ReadRows {
  SampleSet set;
  SampleSet operators;  // timed within networks: for models of whole runs alone
  std::vector<std::pair<std::string, std::size_t>> files;  // each with the samples up to its end
};

// With their network operators are left out: it must be told. `first`: the table's first sample.
void check_networks(const SampleSet& operators, std::size_t first, const Table& table) {
  for (std::size_t i = first; i < operators.samples.size(); ++i) {
    const Sample& sample = operators.samples[i];
    if (sample.network.empty()) throw bad_input(table.place(sample.row) + ": column 'model' is empty");
  }
}

// What was counted since.
std::map<std::string, std::size_t> added(const std::map<std::string, std::size_t>& before,
                                         std::map<std::string, std::size_t> now) {
  for (const auto& [reason, count] : before) now[reason] -= count;
  std::erase_if(now, [](const auto& entry) { return entry.second == 0; });
  return now;
}

ReadRows read_samples(const TrainRequest& request, Warnings& warnings) {
  ReadRows rows;
  if (request.gpu_file) {
    rows.set.devices.push_back(read_own_device(*request.gpu_file));
    rows.operators.devices = rows.set.devices;
  }
  for (const std::string& file : request.files) {
    with_context(file, [&] {
      for (const Table& table : read_tables(file, warnings)) {
        const bool of_runs = table.kind() == "network_ops";
        if (of_runs && !request.runs) {
          warnings.add(file + ": operators that were timed within networks are for --runs FILE alone");
          continue;
        }
        const std::size_t read_before = rows.operators.samples.size();
        SampleSet& set = of_runs ? rows.operators : rows.set;
        const auto counts_before = set.left_out;
        const std::size_t left_out =
            add_samples(set, table, of_runs ? SampleUse::evaluation : SampleUse::training);
        if (of_runs) check_networks(rows.operators, read_before, table);
        if (left_out == 0) continue;
        warnings.add(file + ": " + std::to_string(left_out) + " of " + std::to_string(table.rows()) +
                     " rows of kind '" + table.kind() + "' are not of a layer that can be trained (" +
                     list_reasons(added(counts_before, set.left_out)) + ')');
      }
    });
    rows.files.emplace_back(file, rows.set.samples.size());
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

options::options_description train_options() {
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
       "table of measured runs, as validate takes it: also trains the model of whole runs; columns as "
       "pool_ms and conv_forward_ms tell how a profiler divides a step; beside the runs it learns from the "
       "layers of FILE and from operators there that were timed within networks")  //
      ("layers-from", input_file("PREDICTOR"),
       "take the networks for single layers from there instead of training them")  //
      ("runs-from", input_file("PREDICTOR"),
       "take the model of whole runs from there instead of training it")  //
      ("leave-out", text_value("WHAT"),
       "with --runs, train nothing but tell the error on what was left out: network, family or gpu")  //
      ("folds", text_value("N"),
       "parts that are left out in turn (default: each network, family or GPU alone)")  //
      ("json", output_file(), "write the report as JSON; - is standard output");
  return group;
}

// What a predictor is made of must be there, once.
void check_sources(const Arguments& given) {
  const bool runs = given.has("runs");
  const bool leave_out = given.has("leave-out");
  const bool layers_from = given.has("layers-from");
  const bool runs_from = given.has("runs-from");
  const bool output = given.has("output");
  if (runs && runs_from)
    throw bad_use("--runs trains a model of whole runs, --runs-from takes one: give one of them");
  if (leave_out && !runs) throw bad_use("--leave-out goes with --runs FILE");
  if (leave_out && output) throw bad_use("--leave-out tells errors and writes no predictor: leave out -o");
  const bool has_rows =
      !given.words.empty() || (runs && (leave_out || layers_from)) || (runs_from && layers_from);
  if (!has_rows || (!output && !leave_out)) {
    throw bad_use("train takes files with measured rows and -o FILE for the predictor");
  }
}

TrainRequest read_request(const Arguments& given) {
  constexpr std::int64_t kMostFolds = 1000;
  check_sources(given);
  TrainRequest request{.files = given.words,
                       .gpu_file = given.text("gpu-file"),
                       .output = given.text("output").value_or(""),
                       .json = given.text("json").value_or(""),
                       .runs = given.text("runs"),
                       .layers_from = given.text("layers-from"),
                       .runs_from = given.text("runs-from"),
                       .leave_out = {},
                       .trainer = given.text("trainer").value_or(""),
                       .settings = {},
                       .run_settings = {}};
  if (const auto what = given.text("leave-out"))
    request.leave_out = static_cast<LeaveOut>(parse_choice("--leave-out", *what, leave_out_names()));
  TrainSettings& settings = request.settings;
  settings.kinds = read_kinds(given);
  settings.seed = static_cast<std::uint64_t>(given.count("seed", 0).value_or(1));
  settings.epochs = read_training_epochs(given, 0);
  if (const auto share = given.text("test-share")) settings.test_share = parse_share(*share);
  check_trainer(request.trainer);
  RunTrainSettings& runs = request.run_settings;
  runs.options.seed = settings.seed;
  runs.folds = static_cast<int>(given.count("folds", 2, kMostFolds).value_or(runs.folds));
  if (settings.epochs > 0) runs.options.epochs = settings.epochs;
  return request;
}

// Errors of run models on what was left out; no predictor comes of it.
void tell_left_out(const TrainRequest& request, const ReadRows& rows) {
  const RunSet runs = read_run_set({*request.runs, request.settings.seed}, rows.set, rows.operators);
  const LeaveOut what = *request.leave_out;
  const auto held_out =
      cross_validate(runs, what, find_run_trainer(), request.run_settings, show_run_progress);
  if (!request.json.empty()) write_text(request.json, held_out_as_json(runs, what, held_out).dump(2) + '\n');
  if (request.json != "-") print(held_out_as_text(runs, what, held_out));
}

// The networks for single layers, with their provenance where they come from a file.
PredictorFile make_networks(const TrainRequest& request, const ReadRows& rows, const Trainer& trainer) {
  if (request.layers_from) return read_predictor_file(*request.layers_from);
  ProgressLine progress;
  TrainingResult trained = with_context(listed(request.files), [&] {
    return train_networks(
        rows.set, trainer, request.settings,
        [&](const std::string& network, const TrainingProgress& state) { progress.show(network, state); });
  });
  for (const UntrainedNetwork& network : trained.untrained) warn_of_untrained(network, rows);
  PredictorFile predictor;
  predictor.networks = std::move(trained.networks);
  return predictor;
}

// Trains the predictor's model of whole runs; returns its errors on what was left out.
Json add_run_model(const TrainRequest& request, const ReadRows& rows, PredictorFile& predictor) {
  const RunSet runs = read_run_set({*request.runs, request.settings.seed}, rows.set, rows.operators);
  TrainedRuns trained = train_runs(runs, find_run_trainer(), request.run_settings, show_run_progress);
  predictor.runs = std::move(trained.model);
  Json left_out = Json::array();
  for (const auto& [what, held_out] :
       {std::pair(LeaveOut::network, &trained.networks), std::pair(LeaveOut::gpu, &trained.devices)}) {
    if (held_out->empty()) {
      std::fprintf(stderr, "warning: %s: runs of one %s alone: how far off others are is not known\n",
                   request.runs->c_str(), std::string(name(what)).c_str());
      continue;
    }
    left_out.push_back(held_out_as_json(runs, what, *held_out));
    if (request.json != "-") print(held_out_as_text(runs, what, *held_out));
  }
  return left_out;
}

// `sources`: of what has come from other predictors beside the networks.
void add_provenance(const TrainRequest& request, const Trainer& trainer, std::vector<std::string> sources,
                    PredictorFile& predictor) {
  const Provenance present = new_provenance("");
  PredictorProvenance& provenance = predictor.provenance;
  provenance.tool_version = present.tool_version;
  provenance.date = present.date;
  provenance.seed = request.settings.seed;
  if (!request.layers_from) {
    provenance.trainer = std::string(trainer.name());
    provenance.test_share = request.settings.test_share;
  }
  for (const std::string& file : request.files) add_sources(sources, file);
  if (request.runs) add_sources(sources, *request.runs);
  std::vector<std::string>& known = provenance.sources;  // of a file that already had runs
  for (std::string& source : sources) {
    if (std::find(known.begin(), known.end(), source) == known.end()) known.push_back(std::move(source));
  }
}

void train(const TrainRequest& request, const ReadRows& rows, const Trainer& trainer) {
  PredictorFile predictor = make_networks(request, rows, trainer);
  Json left_out = Json::array();  // runs predicted without their network or device
  if (request.runs) left_out = add_run_model(request, rows, predictor);
  std::vector<std::string> sources;
  if (request.runs_from) sources = take_run_model(*request.runs_from, predictor);
  add_provenance(request, trainer, std::move(sources), predictor);
  write_predictor_file(predictor, request.output);
  if (!request.json.empty()) write_text(request.json, train_report_json(predictor, left_out));
  if (request.json != "-") print(train_report_text(predictor));
}

int run(const Command& command, const std::vector<std::string>& arguments) {
  constexpr std::size_t kMostFiles = 1000;
  const auto given = read_arguments(command, {train_options()}, arguments, kMostFiles);
  if (!given) return 0;
  const TrainRequest request = read_request(*given);
  Warnings warnings;
  const ReadRows rows = read_samples(request, warnings);
  for (const std::string& warning : warnings.all()) std::fprintf(stderr, "warning: %s\n", warning.c_str());
  const Trainer& trainer = find_trainer(request.trainer);
  if (request.leave_out) {
    tell_left_out(request, rows);
  } else {
    train(request, rows, trainer);
  }
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
