// layersim zoo: the networks that come with the program; layersim zoo NAME writes one as ONNX.

#include <filesystem>

#include "sim/cli/command_line.h"
#include "sim/cli/output.h"
#include "sim/core/error.h"
#include "sim/core/nearest_names.h"
#include "sim/import/importer.h"
#include "sim/report/text_table.h"
#include "sim/zoo/zoo.h"

namespace layersim {
namespace {

std::string list_as_text() {
  TextTable table({{.header = "name"}, {.header = "family", .importance = 1}, {.header = "network"}});
  table.add_rule();
  for (const ZooNetwork& network : zoo_networks()) {
    table.add_row({std::string(network.name), std::string(network.family), std::string(network.summary)});
  }
  return table.to_text(static_cast<std::size_t>(output_width()));
}

void write_network(const std::string& name, const std::optional<std::string>& output) {
  const ZooNetwork* network = find_zoo_network(name);
  if (network == nullptr) {
    std::vector<std::string> known;
    for (const ZooNetwork& candidate : zoo_networks()) known.emplace_back(candidate.name);
    throw bad_use("the zoo has no network '" + name + "'" +
                  suggest("; the nearest are ", nearest_names(name, known, 3)));
  }
  const std::string file = output.value_or(name + ".onnx");
  if (!output && std::filesystem::exists(file))
    throw bad_use(file + " exists: --output FILE replaces a file");
  PendingFile pending(file);
  pending.fill([&](const std::filesystem::path& path) { export_onnx(network->build(), path); });
  pending.commit();
  print("wrote " + file + '\n');
}

int run(const Command& command, const std::vector<std::string>& arguments) {
  options::options_description group("options");
  group.add_options()                                                                         //
      ("output,o", binary_output_file(), "where the network goes (default: NAME.onnx here)")  //
      ("json", output_file(), "write the list as JSON; - is standard output");
  const auto given = read_arguments(command, {group}, arguments, 1, 1);
  if (!given) return 0;
  const auto output = given->text("output");
  const auto json = given->text("json");
  if (given->words.empty()) {
    if (output) throw bad_use("--output: which network? (layersim zoo lists them)");
    if (json) write_text(*json, zoo_json());
    if (json != "-") print(list_as_text());
    return 0;
  }
  if (json)
    throw bad_use("--json goes with the list, not with one network: layersim show " + given->words.front());
  write_network(given->words.front(), output);
  return 0;
}

}  // namespace

Command zoo_command() {
  return {.name = "zoo",
          .summary = "well-known networks: lists them, or writes one as ONNX without weights",
          .usage = "[NAME [-o FILE]]",
          .example = "layersim zoo vgg16 -o vgg16.onnx",
          .run = run};
}

}  // namespace layersim
