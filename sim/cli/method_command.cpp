#include "sim/cli/method_command.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <sstream>

#include "sim/cli/output.h"
#include "sim/core/error.h"
#include "sim/report/readable_text.h"
#include "sim/store/byte_stream.h"

namespace layersim {

namespace {

// An option that the subcommand would not look at is a mistake.
void check_options(std::string_view method, std::span<const Subcommand> subcommands, const Subcommand& chosen,
                   const Arguments& given) {
  std::map<std::string, std::vector<std::string_view>> owners;
  for (const Subcommand& subcommand : subcommands) {
    std::istringstream names{std::string(subcommand.options)};
    for (std::string option; names >> option;) owners[option].push_back(subcommand.name);
  }
  for (const auto& [option, names] : owners) {
    const bool is_own = std::find(names.begin(), names.end(), chosen.name) != names.end();
    if (is_own || !given.has(option.c_str())) continue;
    throw bad_use("--" + option + " is for " + std::string(method) + ' ' + list_choices(names) +
                  ", not for " + std::string(chosen.name));
  }
}

}  // namespace

void run_subcommand(std::string_view method, std::span<const Subcommand> subcommands,
                    const Arguments& given) {
  std::vector<std::string_view> names;
  for (const Subcommand& subcommand : subcommands) names.push_back(subcommand.name);
  if (given.words.empty()) throw bad_use(std::string(method) + " what? " + list_choices(names));
  const Subcommand& chosen = subcommands[parse_choice(std::string(method), given.words.front(), names)];
  check_options(method, subcommands, chosen, given);
  chosen.run(given);
}

namespace {

void check_numbers(const Json& json, const std::string& name) {
  if (json.is_number_float() && !std::isfinite(json.get<double>())) {
    throw Error(ErrorKind::nothing_predicted,
                "the result '" + name + "' is no number: what was given is far from all that was measured");
  }
  if (!json.is_structured()) return;
  for (const auto& [key, value] : json.items()) check_numbers(value, json.is_array() ? name : key);
}

}  // namespace

void write_result(const Arguments& given, const Json& json, const std::string& text) {
  const std::string file = given.text("json").value_or("");
  if (!file.empty()) write_text(file, json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n');
  if (file != "-") print(text);
}

void write_prediction(const Arguments& given, const Json& json, const std::string& text) {
  check_numbers(json, "");
  write_result(given, json, text);
}

void print_warnings(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) std::fprintf(stderr, "warning: %s\n", warning.c_str());
}

void write_evaluation(const Arguments& given, const EvaluationLabel& label, const ErrorTable& table) {
  constexpr std::size_t kIndent = 11;
  Json json{{"schema_version", 1},
            {"method", label.method},
            {"predictor", label.predictor.empty() ? Json(nullptr) : Json(label.predictor)},
            {"left_out", label.left_out}};
  json.update(label.more);
  json.update(error_table_json(table));
  const auto width = static_cast<std::size_t>(output_width());
  const auto csv = given.text("csv");
  if (csv) write_text(*csv, error_table_csv(table));
  write_result(given, json,
               csv == "-" ? ""
                          : error_table_text(table, width) + '\n' +
                                labelled_text("left out", label.how, kIndent, width));
}

std::vector<std::string> files_of(const Arguments& given, std::string_view method, std::string_view what) {
  if (given.words.size() < 2)
    throw bad_use(std::string(method) + ' ' + given.words.front() + " takes " + std::string(what));
  return {given.words.begin() + 1, given.words.end()};
}

std::vector<std::string> source_lines(std::span<const std::string> files) {
  std::vector<std::string> lines;
  for (const std::string& file : files)
    lines.push_back(std::filesystem::path(file).filename().string() + " sha256 " + file_sha256(file));
  return lines;
}

void check_devices_differ(const std::string& anchor, const std::string& target) {
  if (anchor != target) return;
  throw bad_use("--anchor and --target are the same device, " + anchor + ": there is nothing to carry over");
}

std::uint64_t seed_of(const Arguments& given) {
  return static_cast<std::uint64_t>(given.count("seed", 0).value_or(1));
}

}  // namespace layersim
