// layersim measure NETWORK --device cpu: runs the real network and tells how long it takes.

#include <filesystem>
#include <fstream>

#include "sampler/host_facts.h"
#include "sampler/network/measurement_formats.h"
#include "sim/cli/device_options.h"
#include "sim/cli/option_groups.h"
#include "sim/cli/output.h"
#include "sim/core/error.h"
#include "sim/report/readable_text.h"
#include "sim/store/file_descriptor.h"
#include "sim/store/provenance.h"

namespace layersim {
namespace {

// Repetitions that scatter more are no measurement: (maximum - minimum) / median.
constexpr double kMostSpread = 0.2;

options::options_description measure_option_group() {
  options::options_description group("measuring");
  group.add_options()                                                                                   //
      ("device", text_value("NAME"), "of libtorch: cpu, cuda:0 ... (default: cpu)")                     //
      ("threads", text_value("N"), "of the processor, for one operator (default: 1)")                   //
      ("mode", text_value("MODE"), (list_choices(mode_names()) + " (default: training)").c_str())       //
      ("optimizer", text_value("NAME"), (list_choices(optimizer_names()) + " (default: sgd)").c_str())  //
      ("seed", text_value("N"), "of weights and inputs (default: 1)")                                   //
      ("force", "also when the repetitions scatter by more than 20 %");
  return group;
}

options::options_description measure_output_group() {
  options::options_description group("output");
  group.add_options()                                                                               //
      ("layers", output_file(), "also time each layer within a batch; CSV for `validate --blame`")  //
      ("output,o", output_file(), "append a row to this table of runs, as `validate` reads it")     //
      ("gpu,g", text_value("NAME"), "what the row calls the device: a name of `layersim gpus`")     //
      ("gpu-file", input_file(), "the same: the device of a JSON file, as `sample` proposes one")   //
      ("json", output_file(), "write JSON; - is standard output");
  return group;
}

// Key of the device, of which rows tell; empty where it is not named.
std::string read_device_key(const Arguments& arguments) {
  if (!arguments.has("gpu") && !arguments.has("gpu-file")) return {};
  return read_device(arguments).key;
}

MeasureOptions read_measure_options(const Arguments& arguments) {
  MeasureOptions result;
  NetworkRunSettings& settings = result.settings;
  settings.device = arguments.text("device").value_or("cpu");
  settings.threads = read_threads(arguments).value_or(1);
  if (const auto text = arguments.text("mode")) {
    settings.mode = static_cast<Mode>(parse_choice("--mode", *text, mode_names()));
  }
  const auto optimizer = arguments.text("optimizer");
  if (optimizer) {
    settings.optimizer = static_cast<Optimizer>(parse_choice("--optimizer", *optimizer, optimizer_names()));
  }
  if (settings.mode == Mode::forward) {
    if (optimizer && settings.optimizer != Optimizer::none)
      throw bad_use("--optimizer: a forward pass updates no weights");
    settings.optimizer = Optimizer::none;
  }
  settings.seed = static_cast<std::uint64_t>(arguments.count("seed", 0).value_or(1));
  result.with_layers = arguments.has("layers");
  const double available_gib = read_host_facts().available_gib;
  if (settings.device == "cpu" && available_gib > 0) result.available_mib = 1024 * available_gib;
  return result;
}

std::string joined(const std::vector<std::string>& texts) {
  std::string result;
  for (const std::string& text : texts) result += (result.empty() ? "" : ";") + text;
  return result;
}

// As a table in that place names the file.
std::string name_beside(const std::string& table, const std::string& file) {
  return std::filesystem::absolute(file)
      .lexically_normal()
      .lexically_relative(std::filesystem::absolute(table).lexically_normal().parent_path())
      .string();
}

std::int64_t batch_of(const Network& network, const NetworkOptions& options) {
  return show(network, options).network.batch;
}

RunLabels describe_run(const Network& network, const NetworkOptions& options, const std::string& device,
                       const Arguments& arguments) {
  RunLabels run{.network = options.network,
                .gpu = device,
                .batch = batch_of(network, options),
                .dim = joined(arguments.texts("dim")),
                .input = joined(arguments.texts("input")),
                .layer_times = {},
                .date = new_provenance("").date};
  if (const auto table = arguments.text("output")) {
    if (std::filesystem::is_regular_file(run.network)) run.network = name_beside(*table, run.network);
    if (const auto layers = arguments.text("layers")) run.layer_times = name_beside(*table, *layers);
  }
  return run;
}

// Before the long work: the table's columns are those of the rows.
void check_table(const Arguments& arguments, const std::string& device) {
  const auto table = arguments.text("output");
  if (!table) return;
  if (device.empty()) throw bad_use("--output: rows name the device: --gpu NAME; `layersim gpus` lists them");
  check_folder_of(*table);
  std::ifstream file(*table);
  std::string header;
  if (!std::getline(file, header)) return;
  if (header + '\n' != run_header()) throw bad_input(*table + ": has other columns than `measure` writes");
}

void append_run(const std::string& table, const std::string& row) {
  std::error_code ignored;
  const bool is_new = std::filesystem::file_size(table, ignored) == 0 || ignored;
  std::ofstream file(table, std::ios::app);
  file << (is_new ? run_header() : "") << row << std::flush;
  if (!file) throw bad_use(table + ": cannot be written: " + system_message());
}

void check_spread(const NetworkMeasurement& measurement, bool force) {
  const double spread = measurement.batch.spread();
  if (spread <= kMostSpread || force) return;
  throw Error(ErrorKind::check_failed,
              "the repetitions scatter by " + percent(spread) +
                  ": the machine is too busy to measure; nothing is written (--force writes it)");
}

int run(const Command& command, const std::vector<std::string>& arguments) {
  const auto given = read_arguments(
      command, {network_option_group(), measure_option_group(), measure_output_group()}, arguments, 1);
  if (!given) return 0;
  const NetworkOptions options = read_network_options(*given);
  const MeasureOptions measure_options = read_measure_options(*given);
  const std::string device = read_device_key(*given);
  check_table(*given, device);
  const Network network = load_network(options, measure_options.settings.mode);
  const RunLabels run = describe_run(network, options, device, *given);
  const NetworkMeasurement measurement =
      with_context(options.network, [&] { return measure_network(network, measure_options); });
  check_spread(measurement, given->has("force"));
  const auto json = given->text("json");
  if (const auto layers = given->text("layers")) write_text(*layers, layer_times_csv(measurement));
  if (const auto table = given->text("output")) append_run(*table, run_row(measurement, run));
  if (json) write_text(*json, measurement_json(measurement, run));
  if (json != "-") print(measurement_table(measurement, run, output_width()));
  return 0;
}

}  // namespace

Command measure_command() {
  return {
      .name = "measure",
      .summary = "runs a network with random weights on a device that is here, and tells how long it takes",
      .usage = "NETWORK --device cpu [OPTION...]",
      .example =
          "layersim measure resnet18 --device cpu --batch 4 --mode forward\n"
          "layersim measure resnet18 --batch 4 --layers layers.csv --gpu cpu-epyc-9755 -o runs.csv",
      .run = run};
}

}  // namespace layersim
