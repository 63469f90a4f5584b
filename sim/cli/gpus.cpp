// layersim gpus: the devices that the program knows; layersim gpus show NAME: one of them with the source of
// every number.

#include <algorithm>
#include <array>

#include "hwdb/device_db.h"
#include "sim/cli/option_groups.h"
#include "sim/cli/output.h"
#include "sim/core/error.h"
#include "sim/core/json.h"
#include "sim/predictors/predictor_file.h"
#include "sim/report/device_json.h"
#include "sim/report/readable_text.h"
#include "sim/report/text_table.h"

namespace layersim {
namespace {

// The precisions of the list's columns.
constexpr std::array kPrecisions{Precision::fp32, Precision::fp16, Precision::bf16, Precision::int8};

// What the predictor that comes along has learned of the device.
struct Knowledge {
  std::string network;  // "conv@tf"
  KnownRows rows;
};

std::vector<Knowledge> knowledge_of(const Device& device) {
  std::vector<Knowledge> knowledge;
  for (const TrainedNetwork& network : read_predictor_file(shipped_predictor_file()).networks) {
    for (const KnownRows& known : network.known) {
      if (known.gpu == device.key) knowledge.push_back({network.family + '@' + network.stack_group, known});
    }
  }
  return knowledge;
}

Json knowledge_as_json(const Device& device) {
  Json json = Json::array();
  for (const auto& [network, known] : knowledge_of(device)) {
    Json entry{{"network", network}, {"stack", known.stack}, {"precision", known.precision},
               {"mode", known.pass}, {"rows", known.rows},   {"held_out_rows", known.held_out_rows}};
    if (known.held_out_rows > 0) {
      entry["held_out_mape"] = known.held_out_mape;
      entry["held_out_rmse_ms"] = known.held_out_rmse_ms;
      entry["held_out_coverage90"] = known.held_out_coverage;
    }
    json.push_back(std::move(entry));
  }
  return json;
}

std::string knowledge_as_text(const Device& device, std::size_t width) {
  const std::vector<Knowledge> knowledge = knowledge_of(device);
  if (knowledge.empty()) {
    return "The predictor that comes along has no measured layers of it: times follow from the facts "
           "above.\n";
  }
  TextTable table({{.header = "network"},
                   {.header = "stack"},
                   {.header = "precision", .importance = 1},
                   {.header = "mode"},
                   {.header = "trained", .right = true},
                   {.header = "kept out", .right = true, .importance = 2},
                   {.header = "error %", .right = true},
                   {.header = "in 90 %", .right = true}});
  table.add_rule();
  for (const auto& [network, known] : knowledge) {
    const bool held_out = known.held_out_rows > 0;
    table.add_row({network, known.stack, known.precision, known.pass,
                   with_thousands(static_cast<double>(known.rows)),
                   with_thousands(static_cast<double>(known.held_out_rows)),
                   held_out ? short_number(100 * known.held_out_mape) : "",
                   held_out ? percent(known.held_out_coverage) : ""});
  }
  return "Measured layers in the predictor that comes along, and its error on rows kept out of training:\n" +
         table.to_text(width);
}

std::string show_as_json(const Device& device) {
  Json json = device_json(device);
  Json& facts = json["facts"] = Json::object();
  for (const DeviceFact& fact : device.facts)
    facts[fact.name] = {{"value", fact.value}, {"source", fact.source}};
  json["measured"] = knowledge_as_json(device);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string list_as_text(const std::vector<Device>& devices) {
  std::vector<TextColumn> columns{{.header = "key"},
                                  {.header = "device", .shrinks = true},
                                  {.header = "technology", .importance = 1},
                                  {.header = "year", .right = true, .importance = 2},
                                  {.header = "GiB", .right = true},
                                  {.header = "GB/s", .right = true}};
  for (const Precision precision : kPrecisions) {
    columns.push_back({.header = std::string(name(precision)), .right = true, .importance = 3});
  }
  TextTable table(columns);
  table.add_rule();
  for (const Device& device : devices) {
    std::vector<std::string> cells{device.key,
                                   device.display_name,
                                   device.technology,
                                   std::to_string(device.year),
                                   short_number(device.memory_gib),
                                   with_thousands(device.memory_bandwidth_gb_s)};
    for (const Precision precision : kPrecisions) {
      const auto peak = own_peak_gflops(device, precision);
      cells.push_back(peak ? short_number(*peak / 1000) : "");
    }
    table.add_row(std::move(cells));
  }
  return table.to_text(static_cast<std::size_t>(output_width())) +
         "fp32 ... int8: peak TFLOP/s (TOP/s) of dense matrix products\n";
}

std::string show_as_text(const Device& device) {
  std::string text = device.display_name + '\n' + "key: " + device.key + '\n';
  std::string aliases;
  for (const std::string& alias : device.aliases) aliases += (aliases.empty() ? "" : ", ") + alias;
  if (!aliases.empty()) text += "also: " + aliases + '\n';
  text += '\n';
  const auto width = static_cast<std::size_t>(output_width());
  TextTable table(
      {{.header = "fact"}, {.header = "value", .right = true}, {.header = "source", .right = true}});
  table.add_rule();
  std::vector<std::string> sources;
  for (const DeviceFact& fact : device.facts) {
    auto source = std::find(sources.begin(), sources.end(), fact.source);
    if (source == sources.end()) source = sources.insert(source, fact.source);
    table.add_row({fact.name, fact.value, "[" + std::to_string(source - sources.begin() + 1) + "]"});
  }
  text += table.to_text(width) + '\n';
  for (std::size_t i = 0; i < sources.size(); ++i) {
    text += labelled_text("[" + std::to_string(i + 1) + "]", sources[i], 5, width);
  }
  return text + '\n' + knowledge_as_text(device, width);
}

int run(const Command& command, const std::vector<std::string>& arguments) {
  options::options_description group("options");
  group.add_options()                                                                     //
      ("gpu-file", input_file(), "with show: a device from a JSON file instead of NAME")  //
      ("json", output_file(), "write JSON; - is standard output");
  const auto given = read_arguments(command, {group}, arguments, 2, 2);
  if (!given) return 0;
  const auto file = given->text("gpu-file");
  const std::string json = given->text("json").value_or("");
  if (given->words.empty()) {
    if (file) throw bad_use("--gpu-file goes with show: layersim gpus show --gpu-file FILE");
    DeviceDb devices;
    if (!json.empty()) write_text(json, devices_json(devices.all()));
    if (json != "-") print(list_as_text(devices.all()));
    return 0;
  }
  if (given->words.front() != "show") {
    throw bad_use("gpus takes no '" + given->words.front() + "', but: show NAME");
  }
  const bool has_name = given->words.size() == 2;
  if (has_name == file.has_value()) throw bad_use("gpus show takes one device: a NAME or --gpu-file FILE");
  DeviceOptions device_options;
  if (file) device_options.gpu_file = *file;
  if (has_name) device_options.gpu = given->words[1];
  const Device device = load_device(device_options);
  if (!json.empty()) write_text(json, show_as_json(device));
  if (json != "-") print(show_as_text(device));
  return 0;
}

}  // namespace

Command gpus_command() {
  return {.name = "gpus",
          .summary = "the devices: lists them, or shows one with the source of every number",
          .usage = "[show NAME]",
          .example = "layersim gpus show k80",
          .run = run};
}

}  // namespace layersim
