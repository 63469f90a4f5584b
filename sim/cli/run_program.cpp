#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <new>

#include "sim/cli/command.h"
#include "sim/cli/output.h"
#include "sim/core/error.h"
#include "sim/core/nearest_names.h"
#include "sim/zoo/zoo.h"

namespace layersim {

#define LAYERSIM_ENTRY(command) Command command##_command();
#include "commands.inc"
#undef LAYERSIM_ENTRY

namespace {

constexpr std::string_view kDefaultCommand = "predict";

const Command* find_command(std::string_view name) {
  for (const Command& command : commands()) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

std::string help() {
  std::string text =
      "layersim tells how long a neural network takes on hardware that you do not have.\n"
      "\n"
      "usage: layersim NETWORK --gpu GPU [OPTION...]   the same as layersim predict\n"
      "       layersim COMMAND [ARGUMENT...]\n"
      "\n";
  std::size_t width = 0;
  for (const Command& command : commands()) width = std::max(width, command.name.size() + 1);
  for (const Command& command : commands()) {
    std::string name(command.name);
    name.resize(width, ' ');
    text += "  " + name + std::string(command.summary) + '\n';
  }
  return text +
         "\n"
         "  --help      this text, or that of a command: layersim COMMAND --help\n"
         "  --version   the version\n"
         "\n"
         "example: layersim vgg16 --gpu k80 --batch 64\n";
}

// A word that is no command is a network; that it is none of them is told before an option that is missing.
void check_network_name(const std::string& word) {
  constexpr std::size_t kSuggestions = 3;
  std::error_code ignored;
  const bool may_be_file = word.find_first_of("/.") != std::string::npos || word.starts_with('-');
  if (may_be_file || find_zoo_network(word) != nullptr || std::filesystem::exists(word, ignored)) return;
  std::vector<std::string> known;
  for (const Command& command : commands()) known.emplace_back(command.name);
  for (const ZooNetwork& network : zoo_networks()) known.emplace_back(network.name);
  throw bad_use("'" + word + "' is neither a command, a file nor a network of the zoo" +
                suggest("; the nearest are ", nearest_names(word, known, kSuggestions)) +
                " (layersim --help)");
}

int run(const std::vector<std::string>& arguments) {
  if (arguments.empty()) throw bad_use("no network and no command; layersim --help tells more");
  const std::string& first = arguments.front();
  if (first == "--help" || first == "-h" || first == "help") {
    print(help());
    return 0;
  }
  if (first == "--version") {
    print("layersim " LAYERSIM_VERSION "\n");
    return 0;
  }
  if (const Command* command = find_command(first)) {
    return command->run(*command, {arguments.begin() + 1, arguments.end()});
  }
  check_network_name(first);
  const Command* command = find_command(kDefaultCommand);
  return command->run(*command, arguments);
}

int complain(ErrorKind kind, const std::string& message) {
  // One line, whatever a file name or a library's text holds.
  std::string line = "layersim: " + message;
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  }
  std::fprintf(stderr, "%s\n", line.c_str());
  return static_cast<int>(kind);
}

}  // namespace

std::span<const Command> commands() {
  static const std::vector<Command> kAll{
#define LAYERSIM_ENTRY(command) command##_command(),
#include "commands.inc"
#undef LAYERSIM_ENTRY
  };
  return kAll;
}

int run_program(const std::vector<std::string>& arguments) {
  try {
    return run(arguments);
  } catch (const ReaderGone&) {
    return 0;
  } catch (const Error& error) {
    return complain(error.kind(), error.what());
  } catch (const std::bad_alloc&) {
    return complain(ErrorKind::internal, "out of memory");
  } catch (const std::exception& error) {
    return complain(ErrorKind::internal, std::string("internal error: ") + error.what());
  }
}

}  // namespace layersim
