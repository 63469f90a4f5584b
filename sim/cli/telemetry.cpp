// layersim telemetry epochs LOG: the epochs of a training in a log of nvidia-smi or DCGM.

#include <array>

#include "sim/cli/command_line.h"
#include "sim/cli/output.h"
#include "sim/core/error.h"
#include "sim/core/json.h"
#include "sim/methods/telemetry/find_epochs.h"
#include "sim/report/readable_text.h"

namespace layersim {
namespace {

constexpr std::size_t kIndent = 11;

Json epochs_json(const std::string& file, const TelemetryLog& log, const EpochsFound& found) {
  Json periods = Json::array();
  for (const PeriodFound& period : found.periods) {
    periods.push_back(
        {{"period_s", period.period_s}, {"strength", period.strength}, {"may_be", period.may_be}});
  }
  return {{"schema_version", 1},
          {"file", file},
          {"format", log.format},
          {"gpus", log.gpus},
          {"readings", log.times_s.size()},
          {"metric", found.metric.empty() ? Json(nullptr) : Json(found.metric)},
          {"period_s", found.period_s ? Json(*found.period_s) : Json(nullptr)},
          {"epochs", found.epochs},
          {"confidence", found.confidence},
          {"boundaries_s", found.boundaries_s},
          {"active_s", {found.active_begin_s, found.active_end_s}},
          {"periods", std::move(periods)},
          {"warnings", found.warnings}};
}

std::string epochs_text(const TelemetryLog& log, const EpochsFound& found) {
  const auto width = static_cast<std::size_t>(output_width());
  std::string text;
  const auto add = [&](std::string_view label, const std::string& line) {
    text += labelled_text(label, line, kIndent, width);
  };
  if (found.period_s) {
    add("epoch", duration(*found.period_s) + ", " + std::to_string(found.epochs) + " of them (confidence " +
                     percent(found.confidence) + ", seen in " + found.metric + ")");
    for (const PeriodFound& period : found.periods)
      add("period", duration(period.period_s) + ": " + period.may_be + " (autocorrelation " +
                        short_number(period.strength) + ")");
  } else {
    add("epoch", "none found");
  }
  add("log", log.format + ", " + with_thousands(static_cast<double>(log.times_s.size())) + " readings over " +
                 duration(log.times_s.back()) + "; at work from " + duration(found.active_begin_s) + " to " +
                 duration(found.active_end_s));
  for (const std::string& warning : found.warnings) add("warning", printable(warning));
  return text;
}

void epochs(const Arguments& given) {
  if (given.words.size() != 2) throw bad_use("telemetry epochs takes one log");
  const std::string& file = given.words[1];
  const TelemetryLog log = read_telemetry_log(file);
  const EpochsFound found = find_epochs(log);
  const std::string json = given.text("json").value_or("");
  if (!json.empty())
    write_text(json,
               epochs_json(file, log, found).dump(2, ' ', false, Json::error_handler_t::replace) + '\n');
  if (json != "-") print(epochs_text(log, found));
}

struct Subcommand {
  std::string_view name;
  void (*run)(const Arguments& given);
};
constexpr std::array<Subcommand, 1> kSubcommands{Subcommand{"epochs", epochs}};

int run(const Command& command, const std::vector<std::string>& arguments) {
  constexpr std::size_t kMostFiles = 1000;
  options::options_description output("output");
  output.add_options()("json", text_value("FILE"), "write JSON; - is standard output");
  const auto given = read_arguments(command, {output}, arguments, kMostFiles);
  if (!given) return 0;
  std::vector<std::string_view> names;
  for (const Subcommand& subcommand : kSubcommands) names.push_back(subcommand.name);
  if (given->words.empty()) throw bad_use("telemetry what? " + list_choices(names));
  kSubcommands[parse_choice("telemetry", given->words.front(), names)].run(*given);
  return 0;
}

}  // namespace

Command telemetry_command() {
  return {.name = "telemetry",
          .summary = "finds the epochs of a training in a log of nvidia-smi or DCGM",
          .usage = "epochs LOG",
          .example =
              "nvidia-smi --query-gpu=timestamp,utilization.gpu,power.draw --format=csv -lms 1000 > gpu.csv\n"
              "         layersim telemetry epochs gpu.csv",
          .run = run};
}

}  // namespace layersim
