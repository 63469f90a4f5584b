#include "sim/web/predict_request.h"

#include <functional>

#include "hwdb/price_list.h"
#include "sim/core/error.h"
#include "sim/graph/binding_text.h"
#include "sim/study/study_choices.h"
#include "sim/study/study_selection.h"

namespace layersim {
namespace {

constexpr std::int64_t kMostSamples = 1'000'000'000'000;
constexpr std::int64_t kMostEpochs = 1'000'000;
constexpr std::int64_t kMostDevices = 1'000'000;
constexpr std::size_t kMostNetworks = 8;

void for_each_part(const std::string& list, char separator,
                   const std::function<void(const std::string&)>& use) {
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(separator, at), list.size());
    if (end > at) use(list.substr(at, end - at));
    at = end + 1;
  }
}

ShapeBindings read_bindings(ApiParameters& parameters) {
  ShapeBindings bindings;
  for_each_part(parameters.text("dim").value_or(""), ';',
                [&](const std::string& part) { bind_dim(bindings, "'dim'", part); });
  for_each_part(parameters.text("input").value_or(""), ';',
                [&](const std::string& part) { bind_input(bindings, "'input'", part); });
  return bindings;
}

bool read_flag(ApiParameters& parameters, const std::string& name) {
  const auto text = parameters.text(name);
  if (!text || *text == "false" || *text == "0") return false;
  if (*text == "true" || *text == "1") return true;
  throw bad_use("'" + name + "' is true or false");
}

template <typename Enum>
std::optional<Enum> read_choice(ApiParameters& parameters, const std::string& name,
                                std::span<const std::string_view> names) {
  const auto index = parameters.choice(name, names);
  return index ? std::optional(static_cast<Enum>(*index)) : std::nullopt;
}

// A copy each time it is asked for: taking apart changes it.
std::function<Graph(Warnings&)> opener(LibraryNetwork network) {
  return [network = std::move(network)](Warnings& warnings) {
    for (const std::string& text : network.warnings.all()) warnings.add(text);
    return Graph(*network.graph);
  };
}

RunOptions read_run(ApiParameters& parameters) {
  RunOptions run;
  run.mode = read_choice<Mode>(parameters, "mode", mode_names()).value_or(Mode::training);
  run.optimizer = read_choice<Optimizer>(parameters, "optimizer", optimizer_names());
  run.precision = read_choice<Precision>(parameters, "precision", precision_names());
  run.stack = parameters.text("stack").value_or("");
  run.dataset_size = parameters.count("dataset_size", 1, kMostSamples);
  run.validation_size = parameters.count("validation_size", 0, kMostSamples).value_or(0);
  run.epochs = parameters.count("epochs", 1, kMostEpochs).value_or(1);
  run.loader_samples_per_s = parameters.positive("loader_images_per_s");
  if (run.mode == Mode::forward && run.validation_size > 0) {
    throw bad_use("'validation_size' is for training: a validation pass is a forward pass");
  }
  return run;
}

ParallelOptions read_parallel(ApiParameters& parameters) {
  ParallelOptions parallel;
  parallel.cluster.devices = static_cast<int>(parameters.count("n_gpus", 1, kMostDevices).value_or(1));
  parallel.cluster.hosts = static_cast<int>(parameters.count("nodes", 1, kMostDevices).value_or(1));
  parallel.cluster.interconnects = parameters.text("interconnect").value_or("");
  parallel.kind =
      read_choice<Parallelism>(parameters, "parallel", parallelism_names()).value_or(Parallelism::ddp);
  parallel.micro_batches = parameters.count("micro_batches", 1, kMostDevices);
  return parallel;
}

void read_choices(ApiParameters& parameters, const PriceList& prices, StudyRequest& request) {
  const auto gpus = parameters.text("gpus");
  const auto instances = parameters.text("instances");
  if (!gpus && !instances) throw bad_use("'gpus' or 'instances' must be there");
  if (gpus) {
    for (const Device& device : select_gpus("'gpus'", *gpus)) {
      request.choices.push_back(gpu_choice(device, prices, std::nullopt));
    }
  }
  if (instances) {
    for (const Instance& instance : select_instances("'instances'", *instances, prices)) {
      request.choices.push_back(instance_choice(instance, prices, std::nullopt));
    }
  }
}

}  // namespace

PredictRequest read_predict_request(ApiParameters& parameters, NetworkLibrary& library,
                                    const ApiLimits& limits) {
  PredictRequest request;
  LibraryNetwork network = library.find(parameters.required("network"));
  request.network.network = network.name;
  request.network.open = opener(std::move(network));
  request.network.bindings = read_bindings(parameters);
  request.network.bindings.batch = parameters.count("batch", 1, limits.batch);
  request.network.assume_batchnorm = read_flag(parameters, "assume_batchnorm");
  request.device.gpu = parameters.required("gpu");
  request.run = read_run(parameters);
  request.run.parallel = read_parallel(parameters);
  parameters.check_all_read();
  return request;
}

StudyRequest read_study_request(ApiParameters& parameters, NetworkLibrary& library, const PriceList& prices,
                                const ApiLimits& limits) {
  StudyRequest request;
  for_each_part(parameters.required("network"), ',', [&](const std::string& name) {
    if (request.networks.size() == kMostNetworks) throw bad_use("'network' names more than 8 networks");
    LibraryNetwork network = library.find(name);
    std::string shown = network.name;
    request.networks.push_back({.name = std::move(shown), .open = opener(std::move(network))});
  });
  if (request.networks.empty()) throw bad_use("'network' names no network");
  request.batches = parse_batches("'batches'", parameters.text("batches").value_or("16:256"));
  if (request.batches.back() > limits.batch) {
    throw bad_use("'batches' go up to " + std::to_string(limits.batch) + " at most");
  }
  request.bindings = read_bindings(parameters);
  request.assume_batchnorm = read_flag(parameters, "assume_batchnorm");
  const RunOptions run = read_run(parameters);
  request.mode = run.mode;
  request.optimizer = run.optimizer;
  request.precision = run.precision;
  request.stack = run.stack;
  request.dataset_size = run.dataset_size.value_or(kDefaultDatasetSize);
  request.validation_size = run.validation_size;
  request.epochs = run.epochs;
  request.loader_samples_per_s = run.loader_samples_per_s;
  request.budget_usd = parameters.positive("budget_usd");
  request.deadline_h = parameters.positive("deadline_h");
  read_choices(parameters, prices, request);
  request.threads = 1;  // requests run beside each other
  parameters.check_all_read();
  const std::size_t cells = request.networks.size() * request.choices.size() * request.batches.size();
  if (cells > limits.study_cells) {
    throw bad_use("the study has " + std::to_string(cells) +
                  " cells (networks x hardware x batches), more than " + std::to_string(limits.study_cells));
  }
  return request;
}

}  // namespace layersim
