// layersim scale NETWORK --gpu GPU: the same step on one GPU up to thousands, by calculation.

#include <algorithm>

#include "sim/cli/device_options.h"
#include "sim/cli/option_groups.h"
#include "sim/cli/output.h"
#include "sim/cli/parallel_options.h"
#include "sim/core/error.h"
#include "sim/decompose/decompose.h"
#include "sim/report/scaling.h"

namespace layersim {
namespace {

constexpr int kDefaultGpusPerNode = 8;
constexpr std::int64_t kDefaultBatchPerGpu = 32;
constexpr std::int64_t kDefaultMostGpus = 1024;
constexpr std::int64_t kMostGpus = 1'000'000;

options::options_description scale_option_group() {
  options::options_description group("scaling");
  group.add_options()  //
      ("n-gpus", text_value("N,..."),
       "numbers of GPUs, or 1:1024 for all powers of two (default: 1:1024)")  //
      ("gpus-per-node", text_value("N"), "of a full host (default: 8)")       //
      ("batch-per-gpu", text_value("N"),
       "samples of each GPU, so that the batch grows with them (default: 32); --batch keeps it")  //
      ("parallel", text_value("KIND"), "ddp (the default), dp, tp or pp, as of predict")          //
      ("interconnect", text_value("KEY,..."), "as of predict");
  return group;
}

std::vector<int> read_numbers_of_gpus(const Arguments& arguments) {
  const std::string text = arguments.text("n-gpus").value_or("1:" + std::to_string(kDefaultMostGpus));
  const auto number = [](const std::string& part) {
    return static_cast<int>(parse_count("--n-gpus", part, 1, kMostGpus));
  };
  std::vector<int> numbers;
  for (const std::string& part : comma_separated(text)) {
    const std::size_t colon = part.find(':');
    if (colon == std::string::npos) {
      numbers.push_back(number(part));
      continue;
    }
    const int first = number(part.substr(0, colon));
    const int last = number(part.substr(colon + 1));
    if (last < first) throw bad_use("--n-gpus: '" + part + "' ends before it begins");
    for (std::int64_t count = first; count <= last; count *= 2) numbers.push_back(static_cast<int>(count));
  }
  if (numbers.empty()) throw bad_use("--n-gpus names no number of GPUs");
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

// Keys of the user's links that join something among so many devices and hosts.
std::string applicable_links(const std::string& names, int devices, int hosts) {
  std::string kept;
  for (const std::string& name : comma_separated(names)) {
    const bool is_inside = InterconnectDb().find(name).scope == InterconnectScope::host;
    if (is_inside ? devices > hosts : hosts > 1) kept += (kept.empty() ? "" : ",") + name;
  }
  return kept;
}

int run(const Command& command, const std::vector<std::string>& arguments) {
  const auto given = read_arguments(command,
                                    {network_option_group(), device_option_group(), scale_option_group(),
                                     run_option_group(), output_option_group()},
                                    arguments, 1);
  if (!given) return 0;
  for (const char* option : {"max-batch", "epochs", "validation-size", "all-layers"}) {
    if (given->has(option)) throw bad_use("--" + std::string(option) + " is for predict, not for scale");
  }
  NetworkOptions network = read_network_options(*given);
  const OutputOptions output = read_output_options(*given);
  const Device device = read_device(*given);
  RunOptions run_options = read_run_options(*given);
  if (const auto kind = given->text("parallel")) {
    run_options.parallel.kind =
        static_cast<Parallelism>(parse_choice("--parallel", *kind, parallelism_names()));
  }
  const std::string links = given->text("interconnect").value_or("");
  const std::int64_t per_node = given->count("gpus-per-node", 1, kMostGpus).value_or(kDefaultGpusPerNode);
  const std::optional<std::int64_t> whole_batch = network.bindings.batch;
  std::optional<std::int64_t> share;
  if (const auto text = given->text("batch-per-gpu")) share = parse_batch("--batch-per-gpu", *text);
  if (whole_batch && share) throw bad_use("--batch and --batch-per-gpu exclude each other");

  ScalingCurve curve;
  for (const int devices : read_numbers_of_gpus(*given)) {
    const auto hosts = static_cast<int>((devices + per_node - 1) / per_node);
    run_options.parallel.cluster = {
        .devices = devices, .hosts = hosts, .interconnects = applicable_links(links, devices, hosts)};
    network.bindings.batch = whole_batch ? *whole_batch : share.value_or(kDefaultBatchPerGpu) * devices;
    Network taken_apart = load_network(network, run_options.mode);
    const std::string unmodelled = unmodelled_warning(taken_apart);
    const bool is_first = curve.points.empty();
    add_point(curve, predict(std::move(taken_apart), network, device, run_options));
    if (is_first && !unmodelled.empty()) curve.warnings.insert(curve.warnings.begin(), unmodelled);
  }
  if (!output.json_file.empty()) write_text(output.json_file, scaling_json(curve));
  if (!output.csv_file.empty()) write_text(output.csv_file, scaling_csv(curve));
  if (output.wants_table()) print(scaling_table(curve, static_cast<std::size_t>(output_width())));
  return 0;
}

}  // namespace

Command scale_command() {
  return {.name = "scale",
          .summary = "how a step gets faster with the number of GPUs, up to thousands, by calculation",
          .usage = "NETWORK --gpu GPU [OPTION...]",
          .example =
              "layersim scale resnet50 --gpu v100-sxm2 --n-gpus 1:4096 --batch-per-gpu 64 --interconnect "
              "infiniband-edr",
          .run = run};
}

}  // namespace layersim
