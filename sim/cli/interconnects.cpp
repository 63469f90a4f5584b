// layersim interconnects: what joins GPUs; layersim interconnects show KEY: one with the source of every
// number.

#include "hwdb/interconnect.h"
#include "sim/cli/command_line.h"
#include "sim/cli/output.h"
#include "sim/core/error.h"
#include "sim/core/json.h"
#include "sim/report/readable_text.h"
#include "sim/report/text_table.h"

namespace layersim {
namespace {

std::string list_as_text(const std::vector<Interconnect>& links) {
  TextTable table({{.header = "key"},
                   {.header = "joins"},
                   {.header = "GB/s", .right = true},
                   {.header = "used %", .right = true},
                   {.header = "step us", .right = true},
                   {.header = "interconnect", .shrinks = true}});
  table.add_rule();
  for (const Interconnect& link : links) {
    table.add_row({link.key, link.scope == InterconnectScope::host ? "GPUs" : "hosts",
                   short_number(link.bandwidth_gb_s * link.adapters_per_host),
                   short_number(100 * link.efficiency), short_number(link.step_latency_us),
                   link.display_name});
  }
  return table.to_text(static_cast<std::size_t>(output_width())) +
         "GB/s: line rate in one direction; used: the share of it that large sums of gradients get\n";
}

std::string list_as_json(const std::vector<Interconnect>& links) {
  Json list = Json::array();
  for (const Interconnect& link : links) {
    list.push_back({{"key", link.key},
                    {"name", link.display_name},
                    {"scope", link.scope == InterconnectScope::host ? "host" : "network"},
                    {"bandwidth_gb_s", link.bandwidth_gb_s},
                    {"adapters_per_host", link.adapters_per_host},
                    {"efficiency", link.efficiency},
                    {"start_latency_us", link.start_latency_us},
                    {"step_latency_us", link.step_latency_us}});
  }
  return Json{{"schema_version", 1}, {"interconnects", list}}.dump(2) + '\n';
}

std::string show_as_text(const Interconnect& link) {
  std::string text = link.display_name + "\nkey: " + link.key + "\n\n";
  const auto width = static_cast<std::size_t>(output_width());
  for (const DeviceFact& fact : link.facts)
    text += labelled_text(fact.name, fact.value + "   " + fact.source, 20, width);
  return text;
}

int run(const Command& command, const std::vector<std::string>& arguments) {
  options::options_description group("options");
  group.add_options()("json", output_file(), "write JSON; - is standard output");
  const auto given = read_arguments(command, {group}, arguments, 2, 2);
  if (!given) return 0;
  const std::string json = given->text("json").value_or("");
  const InterconnectDb links;
  if (!given->words.empty()) {
    if (given->words.front() != "show" || given->words.size() != 2) {
      throw bad_use("interconnects takes nothing, or: show KEY");
    }
    if (!json.empty()) throw bad_use("--json goes with the list of all");
    print(show_as_text(links.find(given->words[1])));
    return 0;
  }
  if (!json.empty()) write_text(json, list_as_json(links.all()));
  if (json != "-") print(list_as_text(links.all()));
  return 0;
}

}  // namespace

Command interconnects_command() {
  return {.name = "interconnects",
          .summary = "what joins GPUs and hosts: lists it, or shows one with the source of every number",
          .usage = "[show KEY]",
          .example = "layersim interconnects show nvlink3",
          .run = run};
}

}  // namespace layersim
