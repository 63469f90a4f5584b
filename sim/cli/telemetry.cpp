// layersim telemetry epochs|predict|train|evaluate: the epochs of a training in a log of nvidia-smi or DCGM,
// and how long they take on another device.

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "hwdb/device_db.h"
#include "sim/cli/method_command.h"
#include "sim/cli/output.h"
#include "sim/core/error.h"
#include "sim/core/json.h"
#include "sim/methods/telemetry/find_epochs.h"
#include "sim/methods/telemetry/job_metrics.h"
#include "sim/methods/telemetry/telemetry_model.h"
#include "sim/report/readable_text.h"
#include "sim/store/byte_stream.h"
#include "sim/store/provenance.h"
#include "trainers/methods/telemetry_training.h"
#include "trainers/xgboost_module.h"

namespace layersim {
namespace {

constexpr std::size_t kIndent = 11;

Json epochs_json(const std::string& file, const TelemetryLog& log, const EpochsFound& found) {
  Json periods = Json::array();
  for (const PeriodFound& period : found.periods) {
    periods.push_back(
        {{"period_s", period.period_s}, {"strength", period.strength}, {"may_be", period.may_be}});
  }
  return {{"schema_version", 1},
          {"file", file},
          {"format", log.format},
          {"gpus", log.gpus},
          {"readings", log.times_s.size()},
          {"metric", found.metric.empty() ? Json(nullptr) : Json(found.metric)},
          {"period_s", found.period_s ? Json(*found.period_s) : Json(nullptr)},
          {"epochs", found.epochs},
          {"confidence", found.confidence},
          {"boundaries_s", found.boundaries_s},
          {"active_s", {found.active_begin_s, found.active_end_s}},
          {"periods", std::move(periods)},
          {"warnings", found.warnings}};
}

std::string epochs_text(const TelemetryLog& log, const EpochsFound& found) {
  const auto width = static_cast<std::size_t>(output_width());
  std::string text;
  const auto add = [&](std::string_view label, const std::string& line) {
    text += labelled_text(label, line, kIndent, width);
  };
  if (found.period_s) {
    add("epoch", duration(*found.period_s) + ", " + std::to_string(found.epochs) + " of them (confidence " +
                     percent(found.confidence) + ", seen in " + found.metric + ")");
    for (const PeriodFound& period : found.periods)
      add("period", duration(period.period_s) + ": " + period.may_be + " (autocorrelation " +
                        short_number(period.strength) + ")");
  } else {
    add("epoch", "none found");
  }
  add("log", log.format + ", " + with_thousands(static_cast<double>(log.times_s.size())) + " readings over " +
                 duration(log.times_s.back()) + "; at work from " + duration(found.active_begin_s) + " to " +
                 duration(found.active_end_s));
  for (const std::string& warning : found.warnings) add("warning", printable(warning));
  return text;
}

const std::string& only_file(const Arguments& given) {
  if (given.words.size() != 2) throw bad_use("telemetry " + given.words.front() + " takes one log");
  return given.words[1];
}

// The files with rows, to begin a message about all of them.
std::string rows_place(const Arguments& given) {
  const std::size_t more = given.words.size() - 2;
  return given.words[1] + (more > 0 ? " and " + std::to_string(more) + " more" : "");
}

std::vector<TelemetrySample> read_samples(const Arguments& given) {
  if (given.words.size() < 2)
    throw bad_use("telemetry " + given.words.front() + " takes files with rows of jobs");
  std::vector<JobMetrics> jobs;
  for (std::size_t i = 1; i < given.words.size(); ++i) {
    const auto more = read_job_metrics(given.words[i]);
    jobs.insert(jobs.end(), more.begin(), more.end());
  }
  return with_context(rows_place(given), [&] { return pair_jobs(jobs); });
}

std::string predictor_file(const Arguments& given) {
  return given.text("predictor").value_or(shipped_telemetry_file().string());
}

void epochs(const Arguments& given) {
  const std::string& file = only_file(given);
  const TelemetryLog log = read_telemetry_log(file);
  const EpochsFound found = find_epochs(log);
  write_result(given, epochs_json(file, log, found), epochs_text(log, found));
  if (!found.period_s)
    throw Error(ErrorKind::nothing_predicted, file + ": no metric repeats itself, no epochs are told");
}

void train(const Arguments& given) {
  const auto output = given.text("output");
  if (!output) throw bad_use("telemetry train needs -o FILE for the predictor");
  const auto samples = read_samples(given);
  TelemetryModel model = with_context(rows_place(given), [&] {
    check_trainable(samples);  // before the trainer's library is loaded
    return train_telemetry(samples, load_tree_trainer(), seed_of(given));
  });
  model.date = new_provenance("jobs").date;
  for (std::size_t i = 1; i < given.words.size(); ++i) {
    const std::string& file = given.words[i];
    model.sources.push_back(std::filesystem::path(file).filename().string() + " sha256 " + file_sha256(file));
  }
  PendingFile pending(*output);
  pending.fill([&](const std::filesystem::path& path) { write_telemetry_model(model, path); });
  pending.commit();
  Json weights;
  for (std::size_t m = 0; m < kStackMembers.size(); ++m)
    weights[std::string(kStackMembers[m])] = model.weights[m];
  write_result(given,
               {{"schema_version", 1},
                {"method", "telemetry"},
                {"gpus", model.gpus},
                {"networks", model.networks},
                {"left_out_mape", model.left_out_mape},
                {"weights", weights}},
               short_number(100 * model.left_out_mape) +
                   " % error on networks that were left out; written to " + *output + '\n');
}

void evaluate(const Arguments& given) {
  const auto samples = read_samples(given);
  const bool network = given.has("leave-one-network-out");
  const bool job = given.has("leave-jobs-out");
  if (network && job) throw bad_use("--leave-one-network-out and --leave-jobs-out exclude each other");
  if ((network || job) && given.has("predictor")) throw bad_use("leaving out trains; leave out --predictor");
  ErrorTable table;
  Json predictor = nullptr;
  std::string how = "each network was predicted by models trained on all others";
  if (network || job) {
    const auto what = network ? TelemetryLeaveOut::network : TelemetryLeaveOut::job;
    table = with_context(rows_place(given), [&] {
      check_left_out(samples, what);  // before the trainer's library is loaded
      return evaluate_telemetry_left_out(samples, what, load_tree_trainer(), seed_of(given));
    });
    if (job) how = "each fifth of the jobs was predicted by models trained on the other jobs";
  } else {
    predictor = predictor_file(given);
    table = evaluate_telemetry(samples, read_telemetry_model(predictor_file(given)));
    how = "nothing: by " + predictor_file(given) +
          ", which may have seen these jobs; --leave-one-network-out tells the error on new ones";
  }
  Json json{{"schema_version", 1},
            {"method", "telemetry"},
            {"predictor", predictor},
            {"left_out", network ? Json("network") : (job ? Json("job") : Json(nullptr))}};
  json.update(error_table_json(table));
  const auto width = static_cast<std::size_t>(output_width());
  write_result(given, json,
               error_table_text(table, width) + '\n' + labelled_text("left out", how, kIndent, width));
}

void predict(const Arguments& given) {
  const std::string& file = only_file(given);
  for (const char* option : {"anchor", "target", "batch", "dataset-size"}) {
    if (!given.has(option))
      throw bad_use("telemetry predict needs --anchor, --target, --batch and --dataset-size");
  }
  const DeviceDb devices;
  const Device anchor = devices.find(*given.text("anchor"));
  const Device target = devices.find(*given.text("target"));
  check_devices_differ(anchor.key, target.key);
  const TelemetryModel model = read_telemetry_model(predictor_file(given));
  const TelemetryLog log = read_telemetry_log(file);
  EpochsFound found = find_epochs(log);
  if (const auto epoch_s = given.text("epoch-s")) {
    found.period_s = parse_positive("--epoch-s", *epoch_s);
    found.confidence = 1;
  }
  JobMetrics job = with_context(file, [&] { return job_of_log(log, found); });
  job.batch = static_cast<double>(*given.count("batch", 1));
  job.dataset_size = static_cast<double>(*given.count("dataset-size", 1));
  const auto features = telemetry_features(job, anchor, target);
  const double epoch_s = job.epoch_s * std::exp(log_factor(model, features));
  const std::vector<std::string> outside = outside_trained(model, features);
  const auto [low_s, high_s] = interval_of(model, epoch_s, anchor.key, target.key, !outside.empty());
  std::vector<std::string> warnings(found.warnings);
  if (!outside.empty())
    warnings.push_back("far outside the jobs that the predictor was trained on: " + name_list(outside));
  for (const Device* device : {&anchor, &target}) {
    if (!knows_gpu(model, device->key))
      warnings.push_back("the predictor has no jobs of " + device->key + ": a guess by its data sheet");
  }
  const Json json{{"schema_version", 1},  {"method", "telemetry"},         {"anchor", anchor.key},
                  {"target", target.key}, {"anchor_epoch_s", job.epoch_s}, {"epoch_s", epoch_s},
                  {"epoch_s_low", low_s}, {"epoch_s_high", high_s},        {"confidence", found.confidence},
                  {"warnings", warnings}};
  const auto width = static_cast<std::size_t>(output_width());
  std::string text =
      labelled_text("epoch",
                    duration(epoch_s) + " on " + target.key + " (90 % between " + duration(low_s) + " and " +
                        duration(high_s) + "), " + duration(job.epoch_s) + " on " + anchor.key,
                    kIndent, width);
  for (const std::string& warning : warnings)
    text += labelled_text("warning", printable(warning), kIndent, width);
  write_prediction(given, json, text);
}

constexpr std::array<Subcommand, 4> kSubcommands{
    Subcommand{"epochs", epochs, ""},
    {"predict", predict, "anchor target batch dataset-size epoch-s predictor"},
    {"train", train, "output seed"},
    {"evaluate", evaluate, "predictor leave-one-network-out leave-jobs-out seed"}};

int run(const Command& command, const std::vector<std::string>& arguments) {
  constexpr std::size_t kMostFiles = 1000;
  options::options_description predicting("predict");
  predicting.add_options()                                                                                //
      ("anchor", text_value("GPU"), "the device that the log is from")                                    //
      ("target", text_value("GPU"), "the device to predict for")                                          //
      ("batch", text_value("N"), "batch size of the job")                                                 //
      ("dataset-size", text_value("N"), "samples in an epoch")                                            //
      ("epoch-s", text_value("S"), "length of an epoch, where it is known better than the log shows it")  //
      ("predictor", input_file(), "what `telemetry train` wrote (default: the one that comes along)");
  options::options_description training("train, evaluate");
  training.add_options()                                                                      //
      ("output,o", binary_output_file(), "train: where the predictor goes")                   //
      ("leave-one-network-out", "evaluate: predict each network by models of all others")     //
      ("leave-jobs-out", "evaluate: predict each fifth of the jobs by models of the others")  //
      ("seed", text_value("N"), "of forests and folds (default: 1)");
  options::options_description output("output");
  output.add_options()("json", output_file(), "write JSON; - is standard output");
  const auto given = read_arguments(command, {predicting, training, output}, arguments, kMostFiles, 1);
  if (!given) return 0;
  run_subcommand("telemetry", kSubcommands, *given);
  return 0;
}

}  // namespace

Command telemetry_command() {
  return {
      .name = "telemetry",
      .summary = "the epochs of a training in a log of nvidia-smi or DCGM, and their length on another GPU",
      .usage =
          "epochs LOG | predict LOG --anchor GPU --target GPU --batch N --dataset-size N | train|evaluate "
          "ROWS...",
      .example =
          "nvidia-smi --query-gpu=timestamp,utilization.gpu,power.draw --format=csv -lms 1000 > gpu.csv\n"
          "         layersim telemetry epochs gpu.csv\n"
          "         layersim telemetry predict gpu.csv --anchor t4 --target v100-sxm2 --batch 64 "
          "--dataset-size 50000\n"
          "         layersim telemetry evaluate hardware_metrics.csv.gz --leave-one-network-out",
      .run = run};
}

}  // namespace layersim
