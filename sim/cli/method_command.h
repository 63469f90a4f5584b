#pragma once
// What the commands of the published methods share: `layersim METHOD train|predict|evaluate ...`.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/cli/command_line.h"
#include "sim/core/json.h"
#include "sim/methods/common/error_table.h"

namespace layersim {

struct Subcommand {
  std::string_view name;
  void (*run)(const Arguments& given);
  std::string_view options;  // that it looks at, besides those that no subcommand lists: "anchor target"
};
// By the first word. Throws bad_use, with the names, where it is none of them, and for an option of another.
void run_subcommand(std::string_view method, std::span<const Subcommand> subcommands, const Arguments& given);

// To standard output, and to the file of --json.
void write_result(const Arguments& given, const Json& json, const std::string& text);

// The same of a prediction. Throws nothing_predicted where a number is none (infinite, of inputs far beyond
// any that were measured).
void write_prediction(const Arguments& given, const Json& json, const std::string& text);

// To standard error, a line each.
void print_warnings(const std::vector<std::string>& warnings);

// How an evaluation came about, for its output.
struct EvaluationLabel {
  std::string method;
  std::string predictor;       // its file; empty: trained for the evaluation
  Json left_out;               // "network"; null: nothing
  std::string how;             // one sentence
  Json more = Json::object();  // further members
};
// Errors in the form that all methods have: --json, --csv (where the command has it), table.
void write_evaluation(const Arguments& given, const EvaluationLabel& label, const ErrorTable& table);

// All words but the first; throws bad_use, which asks for `what`, for none.
[[nodiscard]] std::vector<std::string> files_of(const Arguments& given, std::string_view method,
                                                std::string_view what);
// "name.csv sha256 ...", a line a file.
[[nodiscard]] std::vector<std::string> source_lines(std::span<const std::string> files);
// Throws bad_use where --anchor and --target are one device.
void check_devices_differ(const std::string& anchor, const std::string& target);
[[nodiscard]] std::uint64_t seed_of(const Arguments& given);

}  // namespace layersim
