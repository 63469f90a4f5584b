#include "sim/cli/method_command.h"

#include <filesystem>

#include "sim/cli/output.h"
#include "sim/core/error.h"
#include "sim/report/readable_text.h"
#include "sim/store/byte_stream.h"

namespace layersim {

void run_subcommand(std::string_view method, std::span<const Subcommand> subcommands,
                    const Arguments& given) {
  std::vector<std::string_view> names;
  for (const Subcommand& subcommand : subcommands) names.push_back(subcommand.name);
  if (given.words.empty()) throw bad_use(std::string(method) + " what? " + list_choices(names));
  subcommands[parse_choice(std::string(method), given.words.front(), names)].run(given);
}

void write_result(const Arguments& given, const Json& json, const std::string& text) {
  const std::string file = given.text("json").value_or("");
  if (!file.empty()) write_text(file, json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n');
  if (file != "-") print(text);
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

std::uint64_t seed_of(const Arguments& given) {
  return static_cast<std::uint64_t>(given.count("seed", 0).value_or(1));
}

}  // namespace layersim
