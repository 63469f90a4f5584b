// layersim compare NETWORK...: what-if study over GPUs and batch sizes.

#include <algorithm>
#include <limits>

#include "sim/cli/option_groups.h"
#include "sim/cli/output.h"
#include "sim/cli/study_files.h"
#include "sim/cli/study_options.h"
#include "sim/core/error.h"
#include "sim/report/study_report.h"
#include "sim/study/study_selection.h"
#include "sim/study/sweep.h"

namespace layersim {
namespace {

options::options_description study_option_group() {
  options::options_description group("study");
  group.add_options()  //
      ("batches", text_value("LIST"),
       "batch sizes: 16:256 (doubled), 16:64:16 (in steps), 24,40 (default: 16:256)")  //
      ("sweep", text_values("AXIS=LIST"),
       "networks of the zoo in other sizes: width=0.5,1 (times the channels), depth=1,2 (times the layers), "
       "resolution=160,224 (of the image)");
  return group;
}

options::options_description study_output_group() {
  options::options_description group("output");
  group.add_options()                                                                             //
      ("json", output_file(), "write JSON; - is standard output")                                 //
      ("csv", output_file(), "write one line a network, choice and batch; - is standard output")  //
      ("html", output_file(), "write a page with tables and pictures; - is standard output")      //
      ("svg", output_file("FOLDER"), "write each picture as a file of its own")                   //
      ("all-rows", "every row in the table, however many");
  return group;
}

StudyRequest read_request(const Arguments& given) {
  StudyRequest request;
  if (given.has("batch")) throw bad_use("compare takes --batches, not --batch");
  if (given.has("max-batch"))
    throw bad_use("--max-batch is for predict: compare tells of each batch if it fits");
  if (given.words.empty()) throw bad_use("no network: name files or networks of `layersim zoo`");
  request.batches = parse_batches("--batches", given.text("batches").value_or("16:256"));
  const NetworkOptions network = read_network_options(given);
  request.bindings = network.bindings;
  request.networks = sweep_networks("--sweep", given.words, given.texts("sweep"), request.bindings);
  request.freeze = network.freeze;
  request.assume_batchnorm = network.assume_batchnorm;
  const RunOptions run = read_run_options(given);
  request.mode = run.mode;
  request.optimizer = run.optimizer;
  request.precision = run.precision;
  request.stack = run.stack;
  request.dataset_size = run.dataset_size.value_or(kDefaultDatasetSize);
  request.validation_size = run.validation_size;
  if (run.mode == Mode::forward && run.validation_size > 0) {
    throw bad_use("--validation-size is for training: a validation pass is a forward pass");
  }
  request.epochs = run.epochs;
  request.loader_samples_per_s = run.loader_samples_per_s;
  read_hardware(given, request);
  return request;
}

// The layers of a cell, for its picture.
Report predict_cell(const StudyRequest& request, const NetworkStudy& study, const StudyCell& cell,
                    const Arguments& given) {
  const auto network = std::find_if(request.networks.begin(), request.networks.end(),
                                    [&](const StudyNetwork& one) { return one.name == study.network; });
  NetworkOptions options = read_network_options(given);
  options.network = study.network;
  const std::int64_t batch = batch_of_gpu(cell.batch, request.choices[cell.choice].n_gpus);
  options.bindings.batch = batch;
  Warnings warnings;
  Network taken_apart = decompose(network->open(warnings), study_decomposition(request, batch));
  return predict(std::move(taken_apart), options, request.choices[cell.choice].device,
                 read_run_options(given));
}

StudyFileNames read_file_names(const Arguments& given) {
  return {.json = given.text("json").value_or(""),
          .csv = given.text("csv").value_or(""),
          .html = given.text("html").value_or(""),
          .svg_folder = given.text("svg").value_or("")};
}

int run(const Command& command, const std::vector<std::string>& arguments) {
  const auto given =
      read_arguments(command,
                     {study_option_group(), hardware_option_group(), hypothetical_option_group(),
                      money_option_group(), network_option_group(), run_option_group(), study_output_group()},
                     arguments, std::numeric_limits<std::size_t>::max());
  if (!given) return 0;
  const StudyRequest request = read_request(*given);
  const StudyFileNames names = read_file_names(*given);
  const bool wants_table = names.json != "-" && names.csv != "-" && names.html != "-";
  const auto predictor =
      make_predictor(given->text("method").value_or(""), given->text("predictor").value_or(""));
  StudyFiles files(request, names);
  bool is_first = true;
  run_study(request, *predictor, [&](NetworkStudy&& study) {
    std::optional<Report> fastest;
    if (files.draws() && study.fastest) {
      fastest = predict_cell(request, study, study.cells[*study.fastest], *given);
    }
    files.add(study, fastest ? &*fastest : nullptr);
    if (!wants_table) return;
    if (!is_first) print("\n");
    is_first = false;
    print(study_table(request, study, {.width = output_width(), .all_rows = given->has("all-rows")}));
  });
  files.commit();
  return 0;
}

}  // namespace

Command compare_command() {
  return {
      .name = "compare",
      .summary = "what-if study: time, memory and cost of networks over GPUs, instance types and batch sizes",
      .usage = "NETWORK... --gpus LIST [OPTION...]",
      .example = "layersim compare resnet50 --gpus k80,t4,v100-sxm2 --batches 16:256 --epochs 90",
      .run = run};
}

}  // namespace layersim
