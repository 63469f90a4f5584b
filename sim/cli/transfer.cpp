// layersim transfer train|predict|evaluate|profile|scale: from a profile on one device to the time on
// another.

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <memory>

#include "hwdb/device_db.h"
#include "sim/cli/method_command.h"
#include "sim/cli/output.h"
#include "sim/cli/progress_line.h"
#include "sim/cli/transfer_output.h"
#include "sim/core/error.h"
#include "sim/core/strict_json.h"
#include "sim/methods/transfer/transfer_model.h"
#include "sim/report/readable_text.h"
#include "sim/store/byte_stream.h"
#include "sim/store/provenance.h"
#include "trainers/methods/transfer_evaluation.h"

namespace layersim {
namespace {

constexpr std::size_t kMostFiles = 1000;

TransferModel read_model(const Arguments& given) {
  return read_transfer_model(given.text("predictor").value_or(shipped_transfer_file().string()));
}

std::string device_key(const DeviceDb& devices, const Arguments& given, const char* option) {
  const auto name = given.text(option);
  return name ? devices.find(*name).key : std::string();
}

std::vector<std::string> files_of(const Arguments& given) {
  if (given.words.size() < 2) throw bad_use("transfer " + given.words.front() + " takes files with profiles");
  return {given.words.begin() + 1, given.words.end()};
}

TransferSet read_set(const std::vector<std::string>& files) {
  TransferSet set;
  for (const std::string& file : files) set.add(file, read_profiles(file));
  return set;
}

std::function<void(const TransferProgress&)> show_progress() {
  return [line = std::make_shared<ProgressLine>()](const TransferProgress& progress) {
    line->show("training " + progress.pair + ", pair " + std::to_string(progress.done + 1) + " of " +
                   std::to_string(progress.pairs),
               progress.done + 1 == progress.pairs);
  };
}

void train(const Arguments& given) {
  const std::vector<std::string> files = files_of(given);
  const auto output = given.text("output");
  if (!output) throw bad_use("transfer train needs -o FILE for the predictor");
  const auto seed = static_cast<std::uint64_t>(given.count("seed", 0).value_or(1));
  const TransferSet set = read_set(files);
  check_trainable(set);  // before the trainers' libraries are loaded
  TransferModel model = train_transfer(set, load_transfer_trainers(seed), show_progress());
  model.date = new_provenance("profiles").date;
  for (const std::string& file : files)
    model.sources.push_back(std::filesystem::path(file).filename().string() + " sha256 " + file_sha256(file));
  PendingFile pending(*output);
  pending.fill([&](const std::filesystem::path& path) { write_transfer_model(model, path); });
  pending.commit();
  write_result(given, model_json(model), model_text(model) + "written to " + *output + '\n');
}

void evaluate(const Arguments& given) {
  const std::vector<std::string> files = files_of(given);
  const DeviceDb devices;
  const TransferChoice choice{device_key(devices, given, "anchor"), device_key(devices, given, "target")};
  if (!choice.anchor.empty()) check_devices_differ(choice.anchor, choice.target);
  const TransferSet set = read_set(files);
  const bool leave_out = given.has("leave-one-network-out");
  if (leave_out && given.has("predictor"))
    throw bad_use("--leave-one-network-out trains; leave out --predictor");
  TransferEvaluation evaluation;
  std::string predictor;
  std::vector<std::string> seen;
  if (leave_out) {
    const auto seed = static_cast<std::uint64_t>(given.count("seed", 0).value_or(1));
    check_left_out(set, choice);  // before the trainers' libraries are loaded
    evaluation = evaluate_left_out(set, choice, load_transfer_trainers(seed), show_progress());
  } else {
    predictor = given.text("predictor").value_or(shipped_transfer_file().string());
    const TransferModel model = read_transfer_model(predictor);
    for (const std::string& network : set.networks()) {
      if (std::find(model.networks.begin(), model.networks.end(), network) != model.networks.end())
        seen.push_back(network);
    }
    evaluation = evaluate_model(set, choice, model);
  }
  if (const auto csv = given.text("csv")) write_text(*csv, error_table_csv(evaluation.pairs));
  write_result(given, evaluation_json(evaluation, predictor, seen),
               given.text("csv") == "-" ? "" : evaluation_text(evaluation, predictor, seen));
}

// A profile whose operations the predictor mostly does not know by name.
void warn_of_unknown(OperationProfile& profile, const TransferInput& input) {
  constexpr double kMuch = 0.2;
  if (input.unknown_share < kMuch) return;
  profile.warnings.push_back(percent(input.unknown_share) +
                             " of the device's time is in operations of unknown names, which may be of any "
                             "kind: the interval is wider");
}

// What the user knows better than the file.
void complete(OperationProfile& profile, const Arguments& given) {
  if (const auto steps = given.count("steps", 1)) profile.steps = *steps;
  if (const auto step_ms = given.text("anchor-ms")) profile.step_ms = parse_positive("--anchor-ms", *step_ms);
}

void predict(const Arguments& given) {
  const std::vector<std::string> files = files_of(given);
  if (files.size() > 1) throw bad_use("transfer predict takes one file");
  if (!given.has("anchor") || !given.has("target"))
    throw bad_use("transfer predict needs --anchor GPU, where the profile was taken, and --target GPU");
  const DeviceDb devices;
  const std::string anchor = device_key(devices, given, "anchor");
  const std::string target = device_key(devices, given, "target");
  check_devices_differ(anchor, target);
  const TransferModel model = read_model(given);
  const TransferPair& pair = model.pair(anchor, target);
  std::vector<PredictedProfile> predicted;
  for (OperationProfile& profile : read_profiles(files.front())) {
    if (!profile.gpu.empty() && devices.find(profile.gpu).key != anchor) continue;
    complete(profile, given);
    const TransferInput input = with_context(files.front(), [&] { return transfer_input(profile); });
    warn_of_unknown(profile, input);
    predicted.push_back({profile, input.step_ms, predict_transfer(pair, input), map_operations(profile)});
  }
  if (predicted.empty()) throw bad_input(files.front() + ": has no profile of " + anchor);
  write_prediction(given, prediction_json(pair, predicted), prediction_text(pair, predicted));
}

void show_profile(const Arguments& given) {
  const std::vector<std::string> files = files_of(given);
  if (files.size() > 1) throw bad_use("transfer profile takes one file");
  const auto profiles = read_profiles(files.front());
  write_result(given, profile_json(files.front(), profiles), profile_text(profiles.front(), profiles.size()));
}

SizedTime parse_known(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) throw bad_use("--known takes SIZE=MS, not '" + text + "'");
  return {parse_positive("--known", text.substr(0, equals)),
          parse_positive("--known", text.substr(equals + 1))};
}

void warn_of_falling(const SizedTime& smallest, const SizedTime& largest,
                     std::vector<std::string>& warnings) {
  if (smallest.time_ms <= largest.time_ms) return;
  warnings.push_back("--known: size " + number_text(largest.size) + " takes less time than " +
                     number_text(smallest.size) + ", " + number_text(largest.time_ms) + " ms instead of " +
                     number_text(smallest.time_ms));
}

void warn_of_unknown_gpu(const TransferModel& model, const std::string& gpu, SizeAxis axis,
                         std::vector<std::string>& warnings) {
  const std::vector<std::string> known = model.scaled_gpus(axis);
  if (std::find(known.begin(), known.end(), gpu) != known.end()) return;
  warnings.push_back("the predictor has no profiles of " + gpu +
                     (known.empty() ? " or any other device: a straight line between the known sizes"
                                    : ": a guess by the mean of " + name_list(known)));
}

void scale(const Arguments& given) {
  const auto known = given.texts("known");
  const auto at = given.text("at");
  if (!given.has("target") || known.size() != 2 || !at)
    throw bad_use("transfer scale needs --target GPU, --known SIZE=MS twice and --at SIZE");
  constexpr std::array<std::string_view, 2> kAxes{"batch", "pixel"};
  const auto axis =
      static_cast<SizeAxis>(parse_choice("--axis", given.text("axis").value_or("batch"), kAxes));
  const std::string gpu = device_key({}, given, "target");
  SizedTime smallest = parse_known(known[0]);
  SizedTime largest = parse_known(known[1]);
  if (smallest.size > largest.size) std::swap(smallest, largest);
  const double size = parse_positive("--at", *at);
  const TransferModel model = read_model(given);
  const double time_ms = scale_time(model.scaling(gpu, axis), smallest, largest, size);
  std::vector<std::string> warnings;
  warn_of_unknown_gpu(model, gpu, axis, warnings);
  warn_of_falling(smallest, largest, warnings);
  const Json json{
      {"schema_version", 1}, {"gpu", gpu},          {"axis", kAxes[static_cast<std::size_t>(axis)]},
      {"size", size},        {"batch_ms", time_ms}, {"warnings", warnings}};
  write_prediction(given, json, scale_text(gpu, kAxes[static_cast<std::size_t>(axis)], size, time_ms));
  print_warnings(warnings);
}

constexpr std::array<Subcommand, 5> kSubcommands{
    Subcommand{"predict", predict, "anchor target steps anchor-ms predictor"},
    {"train", train, "output seed"},
    {"evaluate", evaluate, "anchor target predictor leave-one-network-out seed csv"},
    {"profile", show_profile, ""},
    {"scale", scale, "target predictor known at axis"}};

int run(const Command& command, const std::vector<std::string>& arguments) {
  options::options_description predicting("predict");
  predicting.add_options()                                                                            //
      ("anchor", text_value("GPU"), "the device that the profile is from")                            //
      ("target", text_value("GPU"), "the device to predict for")                                      //
      ("steps", text_value("N"), "training steps that the profile spans, where the file tells none")  //
      ("anchor-ms", text_value("MS"), "time of a step on the anchor without the profiler, if known")  //
      ("predictor", input_file(), "what `transfer train` wrote (default: the one that comes along)");
  options::options_description training("train, evaluate");
  training.add_options()                                                     //
      ("output,o", binary_output_file(), "train: where the predictor goes")  //
      ("leave-one-network-out",
       "evaluate: predict each network by models of all others (minutes)")    //
      ("seed", text_value("N"), "of forests and first weights (default: 1)")  //
      ("csv", output_file(), "evaluate: write each row with its prediction; - is standard output");
  options::options_description scaling("scale");
  scaling.add_options()                                                                               //
      ("known", text_values("SIZE=MS"), "a size with its time; twice, for the smallest and largest")  //
      ("at", text_value("SIZE"), "the size between them to predict")                                  //
      ("axis", text_value("WHAT"), "batch (default) or pixel, the width of the image");
  options::options_description output("output");
  output.add_options()("json", output_file(), "write JSON; - is standard output");
  const auto given =
      read_arguments(command, {predicting, training, scaling, output}, arguments, kMostFiles, 1);
  if (!given) return 0;
  run_subcommand("transfer", kSubcommands, *given);
  return 0;
}

}  // namespace

Command transfer_command() {
  return {
      .name = "transfer",
      .summary = "from a profile of operations on one GPU to the batch time on another (PROFET)",
      .usage = "predict PROFILE --anchor GPU --target GPU | train|evaluate ROWS... | profile FILE | scale",
      .example =
          "layersim transfer predict trace.json.gz --anchor v100-sxm2 --target t4\n"
          "         layersim transfer evaluate profiles.csv.gz --leave-one-network-out --anchor k80\n"
          "         layersim transfer train profiles.csv.gz -o transfer.h5\n"
          "         layersim transfer scale --target t4 --known 16=24.5 --known 256=310 --at 64",
      .run = run};
}

}  // namespace layersim
