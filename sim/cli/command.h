#pragma once
// A command of the program: `layersim NAME ARGUMENT...`. The implementations stand beside this file, one a
// file, and are listed in CMakeLists.txt.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace layersim {

struct Command {
  std::string_view name;
  std::string_view summary;  // one line, for the list of commands
  std::string_view usage;    // what follows the name
  std::string_view example;  // one or more whole command lines
  // Returns the exit code; what goes wrong is thrown as an Error.
  int (*run)(const Command& command, const std::vector<std::string>& arguments);
};

[[nodiscard]] std::span<const Command> commands();

// The whole program: reads the command line, runs a command, prints one line for an error and returns the
// exit code. Arguments that begin with no command are those of `predict`.
[[nodiscard]] int run_program(const std::vector<std::string>& arguments);

}  // namespace layersim
