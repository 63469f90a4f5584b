// layersim data import|info|merge|split|export: the store of measured rows.

#include <array>
#include <optional>
#include <sstream>

#include "sim/cli/command_line.h"
#include "sim/cli/device_options.h"
#include "sim/cli/import_checks.h"
#include "sim/cli/output.h"
#include "sim/cli/store_info_text.h"
#include "sim/core/error.h"
#include "sim/core/json.h"
#include "sim/report/readable_text.h"
#include "sim/report/text_table.h"
#include "sim/store/csv_writer.h"
#include "sim/store/store_import.h"
#include "sim/store/store_info.h"
#include "sim/store/store_merge.h"
#include "sim/store/store_split.h"

namespace layersim {
namespace {

constexpr std::size_t kMostFiles = 10000;
constexpr std::array<std::string_view, 3> kSplitNames = {"configuration", "gpu", "network"};

// What a subcommand did, as text and as JSON.
struct Outcome {
  std::string text;
  Json json;
};

std::string table_text(const TextTable& table) {
  return table.to_text(static_cast<std::size_t>(output_width()));
}

std::string count(std::size_t number) { return with_thousands(static_cast<double>(number)); }

// What a subcommand reads and writes.
struct Files {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};

// `least` to `most` inputs. "-o STORE FILE..." means the same as "FILE... -o STORE".
Files files_of(const Arguments& given, std::size_t least, std::size_t most, std::size_t outputs) {
  const std::string command = "data " + given.words.front();
  Files files{{given.words.begin() + 1, given.words.end()}, given.texts("output")};
  if (files.outputs.size() < outputs) {
    throw bad_use(command + " needs " + (outputs == 1 ? "-o FILE" : "-o TRAIN TEST"));
  }
  files.inputs.insert(files.inputs.end(), files.outputs.begin() + static_cast<std::ptrdiff_t>(outputs),
                      files.outputs.end());
  files.outputs.resize(outputs);
  if (files.inputs.size() < least || files.inputs.size() > most) {
    throw bad_use(command + " takes " + (most > least ? "at least " : "") + std::to_string(least) +
                  (least == 1 ? " file" : " files") + ", not " + std::to_string(files.inputs.size()));
  }
  std::vector<NamedFile> named;
  for (const NamedFile& file : given.files) {
    if (!file.option.empty()) named.push_back(file);
  }
  for (const std::string& file : files.inputs) named.push_back({"", file, FileUse::read});
  for (const std::string& file : files.outputs) named.push_back({"-o", file, FileUse::written});
  check_no_overwriting(named);
  return files;
}

Outcome import(const Arguments& given) {
  const Files files = files_of(given, 1, kMostFiles, 1);
  const std::string& store = files.outputs[0];
  std::optional<Device> own;
  if (const auto file = given.text("gpu-file")) own = read_own_device(*file);
  Warnings warnings;
  const auto imported = import_files(files.inputs, store, warnings, import_checks(own, warnings));
  Outcome outcome;
  outcome.json["store"] = store;
  Json& list = outcome.json["files"] = Json::array();
  TextTable table(
      {{.header = "file", .shrinks = true}, {.header = "kind"}, {.header = "rows", .right = true}});
  table.add_rule();
  for (const ImportedFile& file : imported) {
    list.push_back({{"file", file.file}, {"kind", file.kind}, {"rows", file.rows}});
    table.add_row({file.file, file.kind, count(file.rows)});
  }
  outcome.json["warnings"] = warnings.all();
  outcome.text = table_text(table);
  for (const std::string& warning : warnings.all()) outcome.text += "warning: " + warning + '\n';
  outcome.text += "written to " + store + '\n';
  return outcome;
}

Outcome info(const Arguments& given) {
  const StoreReader store(files_of(given, 1, 1, 0).inputs[0]);
  return {store_info_text(store), store_info_json(store)};
}

Outcome merge(const Arguments& given) {
  const Files files = files_of(given, 2, kMostFiles, 1);
  const std::string& store = files.outputs[0];
  const auto merged = merge_stores(files.inputs, store);
  Outcome outcome;
  outcome.json["store"] = store;
  Json& list = outcome.json["kinds"] = Json::array();
  TextTable table({{.header = "kind"},
                   {.header = "rows", .right = true},
                   {.header = "duplicates left out", .right = true},
                   {.header = "repeated measurements kept", .right = true}});
  table.add_rule();
  std::string duplicates;
  for (const MergedKind& kind : merged) {
    list.push_back({{"kind", kind.kind},
                    {"rows", kind.rows},
                    {"duplicates", kind.duplicates},
                    {"repeated", kind.repeated},
                    {"first_duplicates", kind.first_duplicates}});
    table.add_row({kind.kind, count(kind.rows), count(kind.duplicates), count(kind.repeated)});
    for (const std::string& row : kind.first_duplicates) duplicates += "left out: " + printable(row) + '\n';
    const std::size_t unnamed = kind.duplicates - kind.first_duplicates.size();
    if (unnamed > 0) duplicates += "left out: " + count(unnamed) + " more of kind " + kind.kind + '\n';
  }
  outcome.text = table_text(table) + duplicates + "written to " + store + '\n';
  return outcome;
}

// "0.2" is a share, anything else a list of names.
void read_test(const std::string& text, SplitOptions& split) {
  std::istringstream number(text);
  double share = 0;
  if (number >> share && number.peek() == std::istringstream::traits_type::eof()) {
    split.test_share = share;
    return;
  }
  if (split.by == SplitBy::configuration)
    throw bad_use("--test takes a share such as 0.2, not '" + text + "'");
  std::istringstream names(text);
  for (std::string name; std::getline(names, name, ',');) split.test_names.push_back(name);
}

Outcome split(const Arguments& given) {
  const Files files = files_of(given, 1, 1, 2);
  const auto& outputs = files.outputs;
  SplitOptions split;
  split.by =
      static_cast<SplitBy>(parse_choice("--by", given.text("by").value_or("configuration"), kSplitNames));
  if (const auto test = given.text("test")) read_test(*test, split);
  if (const auto seed = given.count("seed", 0)) split.seed = static_cast<std::uint64_t>(*seed);
  const Split result = split_store(files.inputs[0], split, outputs[0], outputs[1]);
  Outcome outcome;
  outcome.json = {{"train", outputs[0]}, {"test", outputs[1]}, {"test_names", result.test_names}};
  Json& list = outcome.json["kinds"] = Json::array();
  TextTable table(
      {{.header = "kind"}, {.header = "train rows", .right = true}, {.header = "test rows", .right = true}});
  table.add_rule();
  for (const SplitKind& kind : result.kinds) {
    list.push_back({{"kind", kind.kind}, {"train_rows", kind.train_rows}, {"test_rows", kind.test_rows}});
    table.add_row({kind.kind, count(kind.train_rows), count(kind.test_rows)});
  }
  outcome.text = table_text(table);
  for (const std::string& name : result.test_names) outcome.text += "to test on: " + printable(name) + '\n';
  outcome.text += "written to " + outputs[0] + " and " + outputs[1] + '\n';
  return outcome;
}

Outcome export_kind(const Arguments& given) {
  const Files files = files_of(given, 1, 1, 1);
  const StoreReader store(files.inputs[0]);
  const std::string& output = files.outputs[0];
  const auto kind = given.text("kind");
  if (!kind) throw bad_use("data export needs --kind KIND (layersim data info lists them)");
  export_csv(store, *kind, output);
  const std::size_t rows = store.table(*kind).rows;
  return {output == "-" ? "" : count(rows) + " rows of kind " + *kind + " written to " + output + '\n',
          {{"file", output}, {"kind", *kind}, {"rows", rows}}};
}

struct Subcommand {
  std::string_view name;
  Outcome (*run)(const Arguments& given);
};
constexpr std::array<Subcommand, 5> kSubcommands = {Subcommand{"import", import},
                                                    {"info", info},
                                                    {"merge", merge},
                                                    {"split", split},
                                                    {"export", export_kind}};

// An option that the subcommand would not look at is a mistake.
void check_options(const Arguments& given, std::string_view subcommand) {
  constexpr std::array<std::pair<const char*, std::string_view>, 5> kOwners = {
      std::pair{"gpu-file", "import"},
      {"kind", "export"},
      {"by", "split"},
      {"test", "split"},
      {"seed", "split"}};
  for (const auto& [option, owner] : kOwners) {
    if (owner != subcommand && given.has(option)) {
      throw bad_use("--" + std::string(option) + " is for data " + std::string(owner));
    }
  }
}

int run(const Command& command, const std::vector<std::string>& arguments) {
  options::options_description group("options");
  group.add_options()  //
      ("output,o", text_values("FILE")->multitoken(),
       "import, merge: the store; split: the stores to train "
       "and to test on; export: the CSV file, - is standard output")                          //
      ("gpu-file", input_file(), "import: a device from a JSON file, for rows with its key")  //
      ("kind", text_value("KIND"), "export: which rows")                                      //
      ("by", text_value("WHAT"),
       "split: by configuration (default: one configuration is on one side, on all GPUs), gpu or network")  //
      ("test", text_value("SHARE|NAMES"),
       "split: share to test on (default 0.2); by gpu or network also names, comma separated")  //
      ("seed", text_value("N"), "split: another seed draws others (default 1)")                 //
      ("json", output_file(), "write what was done as JSON; - is standard output");
  const auto given = read_arguments(command, {group}, arguments, kMostFiles, 1);
  if (!given) return 0;
  std::vector<std::string_view> names;
  names.reserve(kSubcommands.size());
  for (const Subcommand& subcommand : kSubcommands) names.push_back(subcommand.name);
  if (given->words.empty()) throw bad_use("data what? " + list_choices(names));
  const Subcommand& subcommand = kSubcommands[parse_choice("data", given->words.front(), names)];
  check_options(*given, subcommand.name);
  const Outcome outcome = subcommand.run(*given);
  const std::string json = given->text("json").value_or("");
  if (!json.empty()) {
    Json document = {{"schema_version", 1}};
    document.update(outcome.json);
    write_text(json, document.dump(2, ' ', false, Json::error_handler_t::replace) + '\n');
  }
  if (json != "-") print(outcome.text);
  return 0;
}

}  // namespace

Command data_command() {
  return {.name = "data",
          .summary = "the store of measured layers and runs: import, info, merge, split, export",
          .usage = "import|info|merge|split|export FILE... [-o FILE...]",
          .example =
              "layersim data import conv.csv.gz dense.csv.gz -o bench.h5\n"
              "         layersim data split bench.h5 --by gpu --test k80,m60 -o train.h5 test.h5",
          .run = run};
}

}  // namespace layersim
