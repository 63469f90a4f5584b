#include "sim/cli/train_runs.h"

#include <unistd.h>

#include <cstdio>

#include "sim/cli/output.h"
#include "sim/core/error.h"
#include "sim/core/json.h"
#include "sim/report/readable_text.h"
#include "sim/report/text_table.h"
#include "trainers/run_error.h"
#include "trainers/run_table_dataset.h"
#include "trainers/torch_module.h"

namespace layersim {
namespace {

// Of single layers, of each family, stack, device and pass.
constexpr std::size_t kLayerRows = 1000;

}  // namespace

RunSet read_run_set(const RunFiles& files, const SampleSet& layers, const SampleSet& operators) {
  RunSet set;
  RunSetBuilder builder(set);
  add_runs(read_run_table(files.runs), builder);
  if (set.runs.empty()) throw bad_input(files.runs + ": has no runs on one device");
  add_layers(layers, kLayerRows, files.seed, builder);
  add_operators(operators, set, builder);
  return set;
}

const RunTrainer& find_run_trainer() {
  const RunTrainer* trainer = load_torch_run_trainer();
  if (trainer == nullptr)
    throw bad_use("--runs needs the libtorch trainer, which is not there: `./dev build` builds it");
  return *trainer;
}

std::vector<std::string> take_run_model(const std::string& file, PredictorFile& predictor) {
  PredictorFile from = read_predictor_file(file);
  if (!from.runs) throw bad_input(file + ": has no model of whole runs");
  predictor.runs = std::move(from.runs);
  return from.provenance.sources;
}

void show_run_progress(const std::string& what, const RunProgress& progress) {
  const bool terminal = isatty(STDERR_FILENO) != 0;
  const bool last = progress.epoch == progress.epochs;
  if (!terminal && !last) return;
  std::fprintf(stderr, "%s%s: epoch %d of %d, training error %.2f %%%s", terminal ? "\r\033[K" : "",
               what.c_str(), progress.epoch, progress.epochs, 100 * progress.training_mape,
               terminal && !last ? "" : "\n");
}

std::string held_out_as_text(const RunSet& set, LeaveOut leave_out, const std::vector<HeldOutRun>& held_out) {
  TextTable table({{.header = std::string(name(leave_out)) + " left out"},
                   {.header = "runs", .right = true},
                   {.header = "MAPE %", .right = true},
                   {.header = "median %", .right = true}});
  table.add_rule();
  for (const RunErrors& errors : run_errors(set, held_out)) {
    table.add_row({errors.group, std::to_string(errors.runs), short_number(100 * errors.mape),
                   short_number(100 * errors.median_ape)});
  }
  return table.to_text(static_cast<std::size_t>(output_width())) + "order of devices right in " +
         percent(ordered_pairs(set, held_out)) + " of pairs that differ by more than 10 %\n";
}

Json held_out_as_json(const RunSet& set, LeaveOut leave_out, const std::vector<HeldOutRun>& held_out) {
  Json groups = Json::array();
  for (const RunErrors& errors : run_errors(set, held_out)) {
    groups.push_back({{"group", errors.group},
                      {"n", errors.runs},
                      {"mape", errors.mape},
                      {"median_ape", errors.median_ape}});
  }
  return {{"schema_version", 1},
          {"leave_out", name(leave_out)},
          {"groups", std::move(groups)},
          {"ordered_pairs", ordered_pairs(set, held_out)}};
}

}  // namespace layersim
