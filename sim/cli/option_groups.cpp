#include "sim/cli/option_groups.h"

#include <algorithm>
#include <cstdio>

#include "sim/cli/output.h"
#include "sim/core/error.h"
#include "sim/features/feature_family.h"
#include "sim/graph/binding_text.h"
#include "sim/predictors/predictor.h"

namespace layersim {
namespace {

Error unknown_kind(const std::string& kind) {
  std::vector<std::string_view> families;
  for (const FeatureFamily* family : feature_families()) families.push_back(family->name);
  return bad_use("--kinds: '" + kind + "' is neither a layer kind nor one of the families " +
                 list_choices(families));
}

}  // namespace

std::vector<std::string> read_kinds(const Arguments& arguments) {
  std::vector<std::string> kinds = comma_separated(arguments.text("kinds").value_or(""));
  for (const std::string& kind : kinds) {
    if (find_layer_kind(kind) == nullptr && find_feature_family(kind) == nullptr) throw unknown_kind(kind);
  }
  return kinds;
}

std::string method_names() {
  std::vector<std::string_view> names;
  for (const PredictorMethod& method : predictor_methods()) names.push_back(method.name);
  return list_choices(names);
}

options::options_description network_option_group() {
  options::options_description group("network");
  group.add_options()                                                                                    //
      ("batch,b", text_value("N"), "samples in a batch (default: what the file fixes, else 1)")          //
      ("dim", text_values("NAME=N"), "size of an axis that the file leaves open, trip count of a loop")  //
      ("input", text_values("NAME=1x3x224x224"), "shape of an input; without NAME= of the only one")     //
      ("freeze", text_values("GLOB"),
       "train none of these: layers or weights by name, with * and ?")  //
      ("assume-batchnorm", "put back the batch norms that an export folded into convolutions");
  return group;
}

NetworkOptions read_network_options(const Arguments& arguments) {
  NetworkOptions result;
  if (arguments.words.empty()) throw bad_use("no network: name a file or one of `layersim zoo`");
  result.network = arguments.words.front();
  if (const auto text = arguments.text("batch")) result.bindings.batch = parse_batch("--batch", *text);
  for (const std::string& text : arguments.texts("dim")) bind_dim(result.bindings, "--dim", text);
  for (const std::string& text : arguments.texts("input")) bind_input(result.bindings, "--input", text);
  result.freeze = arguments.texts("freeze");
  result.assume_batchnorm = arguments.has("assume-batchnorm");
  return result;
}

options::options_description hypothetical_option_group() {
  options::options_description group("hypothetical hardware");
  group.add_options()("set", text_values("KEY=NUMBER"),
                      "what if the device had this: a number of its file, as memory_bandwidth_gb_s=1800");
  return group;
}

std::vector<DeviceChange> read_device_changes(const Arguments& arguments) {
  std::vector<DeviceChange> changes;
  for (const std::string& text : arguments.texts("set")) {
    DeviceChange change = parse_device_change("--set", text);
    const bool is_given = std::any_of(changes.begin(), changes.end(),
                                      [&](const DeviceChange& other) { return other.key == change.key; });
    if (is_given) throw bad_use("--set " + change.key + " is given twice");
    changes.push_back(std::move(change));
  }
  return changes;
}

options::options_description run_option_group() {
  options::options_description group("run");
  group.add_options()  //
      ("mode", text_value("MODE"), (list_choices(mode_names()) + " (default: training)").c_str())(
          "optimizer", text_value("NAME"), (list_choices(optimizer_names()) + " (default: sgd)").c_str())  //
      ("precision", text_value("NAME"),
       (list_choices(precision_names()) + " (default: as the file stores its tensors)").c_str())  //
      ("dataset-size", text_value("N"), "samples of an epoch (default: 1281167, ImageNet-1k)")    //
      ("validation-size", text_value("N"),
       "samples of a validation pass after each epoch (default: none)")  //
      ("loader-images-per-s", text_value("RATE"),
       "samples that the input pipeline delivers a second, a bound for the batch time")  //
      ("max-batch", "find the largest batch whose memory fits the device")               //
      ("epochs", text_value("N"), "default: 1")                                          //
      ("stack", text_value("NAME"),
       "software that the time is for, as \"tf2.5\" or \"pytorch1.4\" (default: the newest that is known "
       "well "
       "for the device)")                                                                                 //
      ("method", text_value("NAME"), ("predictor: " + method_names() + " (default: the first)").c_str())  //
      ("predictor", input_file(), "trained predictor (default: the one that comes along)");
  return group;
}

RunOptions read_run_options(const Arguments& arguments) {
  RunOptions result;
  if (const auto text = arguments.text("mode")) {
    result.mode = static_cast<Mode>(parse_choice("--mode", *text, mode_names()));
  }
  if (const auto text = arguments.text("optimizer")) {
    result.optimizer = static_cast<Optimizer>(parse_choice("--optimizer", *text, optimizer_names()));
  }
  if (const auto text = arguments.text("precision")) {
    result.precision = static_cast<Precision>(parse_choice("--precision", *text, precision_names()));
  }
  result.dataset_size = arguments.count("dataset-size", 1);
  result.validation_size = arguments.count("validation-size", 1).value_or(0);
  if (const auto rate = arguments.text("loader-images-per-s")) {
    result.loader_samples_per_s = parse_positive("--loader-images-per-s", *rate);
  }
  result.find_max_batch = arguments.has("max-batch");
  result.epochs = arguments.count("epochs", 1).value_or(1);
  result.method = arguments.text("method").value_or("");
  result.predictor_file = arguments.text("predictor").value_or("");
  result.stack = arguments.text("stack").value_or("");
  return result;
}

int read_training_epochs(const Arguments& arguments, int otherwise) {
  constexpr std::int64_t kMostEpochs = 1'000'000;
  return static_cast<int>(arguments.count("epochs", 1, kMostEpochs).value_or(otherwise));
}

options::options_description output_option_group() {
  options::options_description group("output");
  group.add_options()                                                         //
      ("json", output_file(), "write JSON; - is standard output")             //
      ("csv", output_file(), "write one line a layer; - is standard output")  //
      ("all-layers", "every layer in the table, however many");
  return group;
}

OutputOptions read_output_options(const Arguments& arguments) {
  OutputOptions result;
  result.json_file = arguments.text("json").value_or("");
  result.csv_file = arguments.text("csv").value_or("");
  result.all_layers = arguments.has("all-layers");
  return result;
}

void write_report(const Report& report, const OutputOptions& output) {
  if (!output.json_file.empty()) write_text(output.json_file, to_json(report));
  if (!output.csv_file.empty()) write_text(output.csv_file, to_csv(report));
  if (output.wants_table()) {
    print(to_table(report, {.width = output_width(), .all_layers = output.all_layers}));
  } else if (output.json_file != "-") {
    // A CSV has no place for them.
    for (const std::string& warning : report.warnings) std::fprintf(stderr, "warning: %s\n", warning.c_str());
  }
}

}  // namespace layersim
