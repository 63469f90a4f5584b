#include "sim/cli/method_runs.h"

#include "sim/cli/device_options.h"
#include "sim/cli/option_groups.h"
#include "sim/core/error.h"
#include "sim/features/device_precisions.h"
#include "sim/import/open_network.h"

namespace layersim {

options::options_description method_run_option_group() {
  options::options_description group("of a network to predict");
  group.add_options()                                                          //
      ("gpu", text_value("NAME"), "device")                                    //
      ("gpu-file", input_file(), "device from a JSON file")                    //
      ("stack", text_value("NAME"), "software, as the measured runs name it")  //
      ("mode", text_value("MODE"), "training (default) or forward")            //
      ("optimizer", text_value("NAME"), "sgd (default), adam ...")             //
      ("precision", text_value("NAME"), "default: as the file stores its tensors");
  return group;
}

void check_no_run_options(const Arguments& given) {
  for (const char* option : {"gpu", "stack", "mode", "optimizer", "precision", "batch", "batches"}) {
    if (given.has(option))
      throw bad_use("--" + std::string(option) + " is for a network; a table of runs has a column of it");
  }
}

Run read_method_run(const Arguments& given, const std::string& network, std::int64_t batch) {
  check_network(network);
  const RunOptions options = read_run_options(given);
  Run run;
  run.network = run.network_name = network;
  run.device = std::make_shared<const Device>(read_device(given));
  run.batch = batch;
  run.stack = options.stack;
  run.precision = options.precision;
  if (run.precision) with_context("--precision", [&] { check_precision(*run.device, *run.precision); });
  run.mode = options.mode;
  run.optimizer = run.mode == Mode::forward ? Optimizer::none : options.optimizer.value_or(Optimizer::sgd);
  run.plan = make_plan(run.parallel, *run.device, run.batch);
  return run;
}

}  // namespace layersim
