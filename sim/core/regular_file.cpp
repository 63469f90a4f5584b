#include "sim/core/regular_file.h"

#include "sim/core/error.h"

namespace layersim {

namespace fs = std::filesystem;

bool is_device_or_pipe(const fs::path& file) {
  std::error_code ignored;
  const auto status = fs::status(file, ignored);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

void check_replaceable(const fs::path& file) {
  std::error_code ignored;
  if (is_device_or_pipe(file) || fs::is_directory(file, ignored)) {
    throw bad_use(file.string() + ": is not a regular file");
  }
}

}  // namespace layersim
