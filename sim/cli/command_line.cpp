#include "sim/cli/command_line.h"

#include <algorithm>
#include <thread>

#include "sim/cli/output.h"
#include "sim/core/error.h"
#include "sim/core/nearest_names.h"

namespace layersim {
namespace {

constexpr const char* kWords = "words";

options::options_description all_options(const std::vector<options::options_description>& groups) {
  options::options_description all;
  for (const auto& group : groups) all.add(group);
  all.add_options()("help,h", "this text");
  return all;
}

void print_help(const Command& command, const std::vector<options::options_description>& groups) {
  std::string text = "layersim " + std::string(command.name) + ": " + std::string(command.summary) +
                     "\n\nusage: layersim " + std::string(command.name) + ' ' + std::string(command.usage) +
                     "\n\n";
  std::ostringstream list;
  for (const auto& group : groups) list << group << '\n';
  text += list.str() + "example: " + std::string(command.example) + '\n';
  print(text);
}

Error unknown_option(const Command& command, const std::string& given,
                     const options::options_description& all) {
  std::vector<std::string> known;
  for (const auto& option : all.options()) known.push_back("--" + option->long_name());
  const auto near = nearest_names(given, known, 1);
  return bad_use("no option " + given + (near.empty() ? "" : "; is it " + near.front() + '?') +
                 " (layersim " + std::string(command.name) + " --help)");
}

void check_not_empty(const options::options_description& visible, const options::variables_map& values) {
  for (const auto& option : visible.options()) {
    const std::string& name = option->long_name();
    if (values.count(name) == 0 || option->semantic()->min_tokens() == 0) continue;  // given bare
    const auto* text = boost::any_cast<std::string>(&values[name].value());
    const auto* texts = boost::any_cast<std::vector<std::string>>(&values[name].value());
    const bool is_empty = (text != nullptr && text->empty()) ||
                          (texts != nullptr && std::find(texts->begin(), texts->end(), "") != texts->end());
    if (is_empty) throw bad_use("--" + name + ": its value is empty");
  }
}

}  // namespace

options::typed_value<std::string>* text_value(const char* value_name) {
  return options::value<std::string>()->value_name(value_name);
}

options::typed_value<std::vector<std::string>>* text_values(const char* value_name) {
  return options::value<std::vector<std::string>>()->value_name(value_name);
}

std::optional<std::string> Arguments::text(const char* option) const {
  if (!has(option)) return std::nullopt;
  return values[option].as<std::string>();
}

std::vector<std::string> Arguments::texts(const char* option) const {
  if (!has(option)) return {};
  return values[option].as<std::vector<std::string>>();
}

std::optional<std::int64_t> Arguments::count(const char* option, std::int64_t least,
                                             std::int64_t most) const {
  const auto given = text(option);
  if (!given) return std::nullopt;
  return parse_count("--" + std::string(option), *given, least, most);
}

std::optional<Arguments> read_arguments(const Command& command,
                                        const std::vector<options::options_description>& groups,
                                        const std::vector<std::string>& arguments, std::size_t max_words,
                                        std::size_t names) {
  const options::options_description visible = all_options(groups);
  options::options_description all;
  all.add(visible).add_options()(kWords, options::value<std::vector<std::string>>());
  options::positional_options_description positions;
  positions.add(kWords, -1);
  Arguments result;
  try {
    const int style = options::command_line_style::unix_style & ~options::command_line_style::allow_guessing;
    options::store(
        options::command_line_parser(arguments).options(all).positional(positions).style(style).run(),
        result.values);
  } catch (const options::unknown_option& error) {
    throw unknown_option(command, error.get_option_name(), visible);
  } catch (const options::error& error) {
    throw bad_use(error.what());
  }
  if (result.has("help")) {
    print_help(command, groups);
    return std::nullopt;
  }
  check_not_empty(visible, result.values);
  result.words = result.texts(kWords);
  if (result.words.size() > max_words) {
    throw bad_use("one argument too many: '" + result.words[max_words] + "' (layersim " +
                  std::string(command.name) + " --help)");
  }
  result.files = named_files(visible, result.values);
  for (std::size_t i = names; i < result.words.size(); ++i)
    result.files.push_back({"", result.words[i], FileUse::read});
  check_no_overwriting(result.files);
  check_binary_outputs(result.files);
  return result;
}

std::optional<int> read_threads(const Arguments& arguments) {
  const auto processors = static_cast<std::int64_t>(std::thread::hardware_concurrency());
  const auto threads = arguments.count("threads", 1);
  if (threads && processors > 0 && *threads > processors) {
    throw bad_use("--threads: there are " + std::to_string(processors) + " processors here");
  }
  return threads ? std::optional(static_cast<int>(*threads)) : std::nullopt;
}

std::size_t parse_choice(const std::string& subject, std::string_view text,
                         std::span<const std::string_view> names) {
  const auto found = std::find(names.begin(), names.end(), text);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  throw bad_use(subject + " takes " + list_choices(names) + ", not '" + std::string(text) + "'");
}

std::string list_choices(std::span<const std::string_view> names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

std::vector<std::string> comma_separated(const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    if (end > begin) names.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

}  // namespace layersim
