// layersim methods: all ways to a time, with what each needs and how far off it was where the predictor that
// comes along was tested.

#include <filesystem>
#include <map>
#include <optional>

#include "sim/cli/command_line.h"
#include "sim/cli/method_command.h"
#include "sim/cli/output.h"
#include "sim/methods/hybrid/hybrid_model.h"
#include "sim/methods/regression/regression_model.h"
#include "sim/methods/telemetry/telemetry_model.h"
#include "sim/methods/transfer/transfer_model.h"
#include "sim/predictors/predictor_file.h"
#include "sim/report/readable_text.h"
#include "sim/report/text_table.h"

namespace layersim {
namespace {

// Mean errors, each of so many runs.
class MeanError {
 public:
  void add(double mape, double runs) {
    sum_ += mape * runs;
    runs_ += runs;
  }
  [[nodiscard]] std::optional<double> value() const {
    return runs_ > 0 ? std::optional(sum_ / runs_) : std::nullopt;
  }

 private:
  double sum_ = 0;
  double runs_ = 0;
};

struct TestedError {
  std::optional<double> mape;          // nothing: the file does not tell
  std::string left_out;                // what the tested predictors had not seen
  std::map<std::string, double> of{};  // by software, where the file tells them apart
};

struct Method {
  std::string_view name;
  std::string_view command;
  std::string_view needs;
  std::string_view tells;
  std::filesystem::path (*file)();  // nullptr: nothing is trained
  TestedError (*error)(const std::filesystem::path& file);
};

TestedError layerwise_error(const std::filesystem::path& file) {
  const PredictorFile predictor = read_predictor_file(file);
  TestedError error{{}, "network", {}};
  if (!predictor.runs) return error;
  MeanError all;
  std::map<std::string, MeanError> stacks;
  for (const KnownRuns& known : predictor.runs->known) {
    // Where a specialist answers, its error counts.
    const KnownRuns* tested = &known;
    for (const KnownRuns& own : predictor.runs->specialist(known.gpu, known.stack).known) {
      if (own.gpu == known.gpu && own.stack == known.stack && own.precision == known.precision &&
          own.mode == known.mode)
        tested = &own;
    }
    const auto runs = static_cast<double>(tested->held_out_runs);
    if (runs == 0) continue;
    all.add(tested->held_out_mape, runs);
    stacks[known.stack].add(tested->held_out_mape, runs);
  }
  error.mape = all.value();
  for (const auto& [stack, mean] : stacks) error.of[stack] = *mean.value();
  return error;
}

TestedError transfer_error(const std::filesystem::path& file) {
  MeanError all;
  for (const TransferPair& pair : read_transfer_model(file).pairs)
    all.add(pair.left_out_mape, static_cast<double>(pair.rows));
  return {all.value(), "network", {}};
}

TestedError telemetry_error(const std::filesystem::path& file) {
  return {read_telemetry_model(file).left_out_mape, "network", {}};
}

TestedError regression_error(const std::filesystem::path& file) {
  const RegressionModel model = read_regression_model(file);
  return {model.left_out_mape, model.left_out, {}};
}

TestedError hybrid_error(const std::filesystem::path& file) {
  return {read_hybrid_model(file).left_out_mape, "network", {}};
}

constexpr Method kMethods[] = {
    {"layerwise", "predict", "the network", "layer, batch and epoch time, memory", shipped_predictor_file,
     layerwise_error},
    {"roofline", "predict --method roofline", "the network",
     "operations at the peak or bytes at the bandwidth", nullptr, nullptr},
    {"transfer", "transfer", "a profile of operations on a GPU", "batch time on another GPU",
     shipped_transfer_file, transfer_error},
    {"regression", "regression", "a table of measured runs", "a formula for the batch time",
     shipped_regression_file, regression_error},
    {"telemetry", "telemetry", "a log of nvidia-smi or DCGM", "epochs, their length on another GPU",
     shipped_telemetry_file, telemetry_error},
    {"hybrid", "hybrid", "measured convolutions, some measured runs", "batch time at many batch sizes",
     shipped_hybrid_file, hybrid_error}};

// Nothing for a method without a file that comes along.
TestedError error_of(const Method& method) {
  if (method.file == nullptr || !std::filesystem::exists(method.file())) return {};
  return method.error(method.file());
}

int run(const Command& command, const std::vector<std::string>& arguments) {
  options::options_description output("output");
  output.add_options()("json", output_file(), "write JSON; - is standard output");
  const auto given = read_arguments(command, {output}, arguments, 0);
  if (!given) return 0;
  TextTable table({{.header = "method"},
                   {.header = "needs"},
                   {.header = "tells", .importance = 1},
                   {.header = "error %", .right = true},
                   {.header = "on left-out"}});
  table.add_rule();
  Json rows = Json::array();
  for (const Method& method : kMethods) {
    const TestedError error = error_of(method);
    rows.push_back({{"method", method.name},
                    {"command", method.command},
                    {"needs", method.needs},
                    {"tells", method.tells},
                    {"mape", error.mape ? Json(*error.mape) : Json(nullptr)},
                    {"left_out", error.mape ? Json(error.left_out) : Json(nullptr)}});
    if (!error.of.empty()) rows.back()["stacks"] = error.of;
    table.add_row({std::string(method.name), std::string(method.needs), std::string(method.tells),
                   error.mape ? short_number(100 * *error.mape) : "",
                   error.mape ? error.left_out + 's' : ""});
  }
  table.add_rule();
  write_result(*given, {{"schema_version", 1}, {"methods", std::move(rows)}},
               table.to_text(static_cast<std::size_t>(output_width())));
  return 0;
}

}  // namespace

Command methods_command() {
  return {.name = "methods",
          .summary = "all methods, what each needs and how far off it was in its test",
          .usage = "",
          .example = "layersim methods",
          .run = run};
}

}  // namespace layersim
