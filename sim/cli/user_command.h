#pragma once
// A command line of the user's own, run by the shell.

#include <string>
#include <utility>
#include <vector>

namespace layersim {

// Waits for its end. `variables`: added to its environment, which is how values reach it: nothing is put into
// the command line. What it prints goes to standard error, for standard output is ours. Throws bad_use,
// naming `option`, when it cannot be started or does not end with exit code 0.
void run_user_command(const std::string& option, const std::string& command,
                      const std::vector<std::pair<std::string, std::string>>& variables);

}  // namespace layersim
