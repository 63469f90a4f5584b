#include "sim/cli/user_command.h"

#include <sys/wait.h>
#include <unistd.h>

#include "sim/core/error.h"
#include "sim/store/file_descriptor.h"

namespace layersim {
namespace {

[[noreturn]] void become_shell(const char* command,
                               const std::vector<std::pair<std::string, std::string>>& variables) {
  constexpr int kNotStarted = 127;
  for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  execl("/bin/sh", "sh", "-c", command, static_cast<char*>(nullptr));
  _exit(kNotStarted);
}

}  // namespace

void run_user_command(const std::string& option, const std::string& command,
                      const std::vector<std::pair<std::string, std::string>>& variables) {
  const pid_t child = fork();
  if (child < 0) throw bad_use(option + ": " + system_message());
  if (child == 0) become_shell(command.c_str(), variables);
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw bad_use(option + ": " + system_message());
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  throw bad_use(option + ": the command " +
                (WIFEXITED(status) ? "ended with exit code " + std::to_string(WEXITSTATUS(status))
                                   : "was ended by signal " + std::to_string(WTERMSIG(status))));
}

}  // namespace layersim
