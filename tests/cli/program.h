#pragma once
// Runs the real executable and catches what it says.

#include <filesystem>
#include <string>
#include <vector>

#include "sim/core/json.h"

namespace layersim::tests {

struct Outcome {
  int exit_code = 0;  // 128 + signal when it was killed
  std::string out;
  std::string err;
};

// `out_file`: where standard output goes instead of being caught; empty: caught.
Outcome run_program(const std::vector<std::string>& arguments, const std::string& out_file = "");

// What the program writes with `--json -`; it must end with exit code 0.
Json run_json(std::vector<std::string> arguments);

// The program ends with that exit code and one line on standard error that holds `part`, and prints nothing.
void check_complaint(const std::vector<std::string>& arguments, int exit_code, const std::string& part);

// The same, and nothing is printed by a program that never loads the module ("layersim_torch.so").
void check_complaint_before_loading(const std::string& module, const std::vector<std::string>& arguments,
                                    int exit_code, const std::string& part);

// A folder of its own for one test, removed at its end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::string read_text(const std::string& file);
void write_file(const std::string& file, const std::string& text);
std::size_t line_count(const std::string& text);

}  // namespace layersim::tests
