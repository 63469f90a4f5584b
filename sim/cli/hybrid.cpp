// layersim hybrid predict|train|evaluate|missing: convolutions from a store of measured ones, the rest of a
// step by boosted trees.

#include <array>
#include <filesystem>

#include "sim/cli/device_options.h"
#include "sim/cli/hybrid_output.h"
#include "sim/cli/hybrid_warnings.h"
#include "sim/cli/method_command.h"
#include "sim/cli/method_runs.h"
#include "sim/cli/output.h"
#include "sim/cli/user_command.h"
#include "sim/core/error.h"
#include "sim/store/provenance.h"
#include "sim/study/study_selection.h"
#include "trainers/methods/hybrid_training.h"
#include "trainers/xgboost_module.h"

namespace layersim {
namespace {

const std::string& only_word(const Arguments& given) {
  if (given.words.size() != 2)
    throw bad_use("hybrid " + given.words.front() + " takes one network or table of runs");
  return given.words[1];
}

bool is_table(const std::string& word) { return word.ends_with(".csv") || word.ends_with(".csv.gz"); }

Error not_a_table(const Arguments& given) {
  return bad_use("hybrid " + given.words.front() +
                 " takes a table of measured runs (.csv or .csv.gz), not '" + only_word(given) + "'");
}

std::string store_file(const Arguments& given) {
  const auto store = given.text("store");
  if (!store) throw bad_use("hybrid needs --store FILE, measured convolutions (HDF5 or CSV)");
  return *store;
}

// A table of runs, or the network at each of --batches.
std::vector<Run> read_runs(const Arguments& given) {
  const std::string& word = only_word(given);
  if (!is_table(word)) {
    const auto batches = given.text("batches");
    if (!batches) throw bad_use("hybrid: how many samples? --batches 16:256");
    std::vector<Run> runs;
    for (const std::int64_t batch : parse_batches("--batches", *batches))
      runs.push_back(read_method_run(given, word, batch));
    return runs;
  }
  check_no_run_options(given);
  std::vector<Device> own_devices;
  if (const auto file = given.text("gpu-file")) own_devices.push_back(read_own_device(*file));
  RunTable table = read_run_table(word, own_devices);
  for (Run& run : table.runs) {
    if (run.parallel.cluster.devices > 1)
      throw bad_input(table.place(run) + ": hybrid knows one device alone");
    run.network_name = table.architecture(run);
  }
  return std::move(table.runs);
}

// Runs with the store that they were taken apart by, and what is said of its rows.
struct Steps {
  std::string file;
  ConvTimes stored;
  std::vector<HybridStep> all;
  Warnings warnings;
};

// An error names the line of a table.
HybridStep take_apart(const Run& run, const Arguments& given, HybridSteps& take) {
  if (run.line == 0) return take.take_apart(run);
  return with_context(only_word(given) + ": line " + std::to_string(run.line),
                      [&] { return take.take_apart(run); });
}

// `may_lack`: a store that is not there has no rows.
Steps take_apart(const Arguments& given, const std::vector<Run>& runs, const std::string& file,
                 bool may_lack) {
  Steps steps{file, read_conv_times(file, may_lack), {}, {}};
  const auto predictor = make_predictor("");
  HybridSteps take(steps.stored, *predictor);
  steps.all.reserve(runs.size());
  for (const Run& run : runs) steps.all.push_back(take_apart(run, given, take));
  warn_of_unused_rows(file, steps.stored, steps.all, steps.warnings);
  return steps;
}

// Has the user's command measure what the store lacks.
void measure_missing(const std::string& command, const std::string& store,
                     const std::vector<HybridStep>& steps) {
  const ProblemList list = list_missing(steps);
  if (list.problems == 0) return;
  const std::string problems = std::filesystem::absolute(store).string() + ".missing.csv";
  write_text(problems, list.csv);
  run_user_command(
      "--on-missing", command,
      {{"LAYERSIM_PROBLEMS", problems}, {"LAYERSIM_STORE", std::filesystem::absolute(store).string()}});
  std::filesystem::remove(problems);
}

Steps read_steps(const Arguments& given, const std::vector<Run>& runs) {
  const std::string store = store_file(given);
  const auto command = given.text("on-missing");
  Steps steps = take_apart(given, runs, store, command.has_value());
  if (!command) return steps;
  measure_missing(*command, store, steps.all);
  return take_apart(given, runs, store, false);
}

std::string predictor_file(const Arguments& given) {
  return given.text("predictor").value_or(shipped_hybrid_file().string());
}

void missing(const Arguments& given) {
  const auto output = given.text("output");
  if (!output) throw bad_use("hybrid missing needs -o FILE for the problems");
  const Steps steps = take_apart(given, read_runs(given), store_file(given), true);
  const ProblemList list = list_missing(steps.all);
  write_text(*output, list.csv);
  write_result(given, missing_json(steps.all, list, *output, steps.warnings),
               missing_text(steps.all, list, *output));
  print_warnings(steps.warnings.all());
}

void train(const Arguments& given) {
  const auto output = given.text("output");
  if (!output) throw bad_use("hybrid train needs -o FILE for the predictor");
  PendingFile pending(*output);  // before the work that it is for
  if (!is_table(only_word(given))) throw not_a_table(given);
  const Steps steps = read_steps(given, read_runs(given));
  HybridModel model = with_context(only_word(given), [&] {
    check_trainable(steps.all);  // before the trainer's library is loaded
    return train_hybrid(steps.all, load_tree_trainer(), seed_of(given));
  });
  model.date = new_provenance("runs").date;
  model.sources = source_lines(std::array{only_word(given), store_file(given)});
  pending.fill([&](const std::filesystem::path& path) { write_hybrid_model(model, path); });
  pending.commit();
  write_result(given, model_json(model, steps.all, steps.warnings), model_text(model, steps.all, *output));
  print_warnings(steps.warnings.all());
}

void predict(const Arguments& given) {
  const HybridModel model = read_hybrid_model(predictor_file(given));
  Steps steps = read_steps(given, read_runs(given));
  warn_of_basis(steps.file, steps.stored, model, steps.all, steps.warnings);
  write_prediction(given, prediction_json(model, steps.all, steps.warnings),
                   prediction_text(model, steps.all));
  print_warnings(steps.warnings.all());
}

void evaluate(const Arguments& given) {
  const bool network = given.has("leave-one-network-out");
  const bool batch = given.has("leave-batches-out");
  if (network && batch) throw bad_use("--leave-one-network-out and --leave-batches-out exclude each other");
  if ((network || batch) && given.has("predictor"))
    throw bad_use("leaving out trains; leave out --predictor");
  if (!is_table(only_word(given))) throw not_a_table(given);
  const Steps steps = read_steps(given, read_runs(given));
  EvaluationLabel label{"hybrid", "", nullptr, ""};
  ErrorTable errors;
  if (network || batch) {
    label.left_out = network ? "network" : "batch";
    label.how = std::string("each ") + (network ? "network" : "batch size") +
                " was predicted by trees trained on all others";
    const HybridLeftOut what = network ? HybridLeftOut::network : HybridLeftOut::batch;
    check_left_out(steps.all, what);  // before the trainer's library is loaded
    errors = evaluate_hybrid_left_out(steps.all, what, load_tree_trainer(), seed_of(given));
  } else {
    label.predictor = predictor_file(given);
    label.how = "nothing: by " + label.predictor +
                ", which may have seen these runs; --leave-one-network-out tells the error on new ones";
    errors = evaluate_hybrid(steps.all, read_hybrid_model(label.predictor));
  }
  label.how += "; " + counts_text(steps.all);
  label.more = {{"convolutions", counts_json(steps.all)}, {"warnings", steps.warnings.all()}};
  write_evaluation(given, label, errors);
  print_warnings(steps.warnings.all());
}

constexpr std::array<Subcommand, 4> kSubcommands{
    Subcommand{"predict", predict,
               "gpu gpu-file stack mode optimizer precision batches store on-missing predictor"},
    {"train", train, "gpu-file store on-missing output seed"},
    {"evaluate", evaluate,
     "gpu-file store on-missing predictor leave-one-network-out leave-batches-out seed csv"},
    {"missing", missing, "gpu gpu-file stack mode optimizer precision batches store output"}};

int run(const Command& command, const std::vector<std::string>& arguments) {
  constexpr std::size_t kMostWords = 2;
  options::options_description measured("measured convolutions");
  measured.add_options()                                                 //
      ("store", input_file(), "store or CSV with rows of convolutions")  //
      ("on-missing", text_value("COMMAND"),
       "a shell command that adds to the store what it lacks; it finds the problems in the file "
       "$LAYERSIM_PROBLEMS and the store's name in $LAYERSIM_STORE");
  options::options_description options_of_network = method_run_option_group();
  options_of_network.add_options()("batches", text_value("LIST"), "16:256 doubles, 16:256:16 steps, 24,40");
  options::options_description training("predict, train, evaluate, missing");
  training.add_options()                                                                              //
      ("predictor", input_file(), "what `hybrid train` wrote (default: the one that comes along)")    //
      ("output,o", output_file(), "train: where the predictor goes; missing: where the problems go")  //
      ("leave-one-network-out", "evaluate: predict each network by all others")                       //
      ("leave-batches-out", "evaluate: predict each batch size by all others")                        //
      ("seed", text_value("N"), "of the trees (default: 1)")                                          //
      ("csv", output_file(), "evaluate: write each row with its prediction; - is standard output");
  options::options_description output("output");
  output.add_options()("json", output_file(), "write JSON; - is standard output");
  const auto given =
      read_arguments(command, {options_of_network, measured, training, output}, arguments, kMostWords, 1);
  if (given) run_subcommand(command.name, kSubcommands, *given);
  return 0;
}

}  // namespace

Command hybrid_command() {
  return {.name = "hybrid",
          .summary = "measured convolutions from a store, the rest of a step by boosted trees",
          .usage = "predict|missing NET --gpu GPU --batches LIST | train|evaluate|missing RUNS.csv",
          .example =
              "layersim hybrid missing resnet18 --gpu v100-sxm2 --batches 16:64 --store bench.h5 -o "
              "problems.csv\n"
              "         layersim sample --problems problems.csv -o bench.h5\n"
              "         layersim hybrid train runs.csv --store bench.h5 -o hybrid.h5\n"
              "         layersim hybrid predict resnet18 --gpu v100-sxm2 --batches 16:64 --store bench.h5 "
              "--predictor hybrid.h5",
          .run = run};
}

}  // namespace layersim
