// layersim predict NETWORK --gpu GPU: how long a batch and an epoch take, and in which layers.

#include "sim/cli/device_options.h"
#include "sim/cli/option_groups.h"
#include "sim/cli/output.h"
#include "sim/cli/parallel_options.h"
#include "sim/cli/prediction_files.h"
#include "sim/cli/study_options.h"
#include "sim/core/error.h"

namespace layersim {
namespace {

int run(const Command& command, const std::vector<std::string>& arguments) {
  options::options_description features("features");
  features.add_options()  //
      ("features", output_file(), "write what the predictor sees of each layer as CSV; - is standard output");
  const auto given =
      read_arguments(command,
                     {network_option_group(), device_option_group(), hypothetical_option_group(),
                      run_option_group(), parallel_option_group(), price_option_group(),
                      output_option_group(), prediction_file_group(), features},
                     arguments, 1);
  if (!given) return 0;
  const NetworkOptions network = read_network_options(*given);
  const std::vector<DeviceChange> changes = read_device_changes(*given);
  RunOptions run_options = read_run_options(*given);
  run_options.parallel = read_parallel_options(*given);
  const OutputOptions output = read_output_options(*given);
  const PredictionFiles files = read_prediction_files(*given);
  const auto features_file = given->text("features");
  if (features_file == "-" && !(output.json_file.empty() && output.csv_file.empty())) {
    throw bad_use("--features - prints the features alone: leave out --json and --csv");
  }
  const Device loaded_device = read_device(*given);  // before the network: a mistyped name costs no reading
  const PriceList prices = read_prices(*given);
  // What does not exist has no price.
  if (changes.empty()) run_options.price = rent_of_gpu(loaded_device.key, prices);
  const Device asked_device = hypothetical_device(loaded_device, changes);
  Network loaded_network = load_network(network, run_options.mode);
  if (features_file) write_text(*features_file, describe_features(loaded_network, asked_device, run_options));
  if (features_file == "-") return 0;
  const Report report =
      changes.empty() ? predict(std::move(loaded_network), network, loaded_device, run_options)
                      : predict_hypothetical(loaded_network, network, loaded_device, changes, run_options);
  write_prediction_files(report, files, network.network);
  write_report(report, output);
  return 0;
}

}  // namespace

Command predict_command() {
  return {.name = "predict",
          .summary = "layer, batch and epoch time and memory of a network on a device (the default command)",
          .usage = "NETWORK --gpu GPU [OPTION...]",
          .example = "layersim predict vgg16 --gpu v100-sxm2 --batch 32 --optimizer adam --html vgg16.html",
          .run = run};
}

}  // namespace layersim
