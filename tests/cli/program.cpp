#include "tests/cli/program.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace layersim::tests {
namespace {

void redirect(const std::string& file, int descriptor) {
  const int opened = ::open(file.c_str(), O_WRONLY | O_CREAT, 0600);
  if (opened < 0 || ::dup2(opened, descriptor) < 0) ::_exit(126);
  ::close(opened);
}

}  // namespace

Outcome run_program(const std::vector<std::string>& arguments, const std::string& out_file) {
  const TemporaryFolder folder;
  const std::string out = out_file.empty() ? folder.file("out") : out_file;
  const std::string err = folder.file("err");
  std::string program = LAYERSIM_PROGRAM;
  std::vector<std::string> words = arguments;
  std::vector<char*> argv{program.data()};
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) {
    redirect(out, STDOUT_FILENO);
    redirect(err, STDERR_FILENO);
    ::execv(program.c_str(), argv.data());
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  Outcome outcome;
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (out_file.empty()) outcome.out = read_text(out);
  outcome.err = read_text(err);
  return outcome;
}

Json run_json(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--json", "-"});
  const Outcome outcome = run_program(arguments);
  INFO("error: " << outcome.err);
  REQUIRE(outcome.exit_code == 0);
  return Json::parse(outcome.out);
}

void check_complaint(const std::vector<std::string>& arguments, int exit_code, const std::string& part) {
  const Outcome outcome = run_program(arguments);
  INFO("error: " << outcome.err);
  CHECK(outcome.exit_code == exit_code);
  CHECK(outcome.out.empty());
  CHECK(line_count(outcome.err) == 1);
  CHECK(outcome.err.starts_with("layersim: "));
  CHECK(outcome.err.find(part) != std::string::npos);
}

void check_complaint_before_loading(const std::string& module, const std::vector<std::string>& arguments,
                                    int exit_code, const std::string& part) {
  const TemporaryFolder folder;
  // The loader of glibc writes the names of all that it loads to loaded.PID.
  ::setenv("LD_DEBUG", "files", 1);
  ::setenv("LD_DEBUG_OUTPUT", folder.file("loaded").c_str(), 1);
  check_complaint(arguments, exit_code, part);
  ::unsetenv("LD_DEBUG");
  ::unsetenv("LD_DEBUG_OUTPUT");
  std::string loaded;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    loaded += read_text(entry.path().string());
  CHECK(loaded.find("libc.so") != std::string::npos);
  CHECK(loaded.find(module) == std::string::npos);
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "layersim-test-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string read_text(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

void write_file(const std::string& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

std::size_t line_count(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace layersim::tests
