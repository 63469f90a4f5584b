#include "sim/core/regular_file.h"

#include <fcntl.h>

#include <cerrno>
#include <cstring>

#include "sim/core/error.h"

namespace layersim {

namespace fs = std::filesystem;

bool is_device_or_pipe(const fs::path& file) {
  std::error_code ignored;
  const auto status = fs::status(file, ignored);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

int open_device_or_pipe(const fs::path& file) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    const int error = errno;
    std::error_code ignored;
    const bool is_unread = error == ENXIO && fs::is_fifo(file, ignored);
    throw bad_use(file.string() + ": cannot be written: " +
                  (is_unread ? "it is a pipe that nobody reads" : std::strerror(error)));
  }
  ::fcntl(descriptor, F_SETFL, 0);  // writing waits for a slow reader
  return descriptor;
}

void check_replaceable(const fs::path& file) {
  std::error_code ignored;
  if (is_device_or_pipe(file) || fs::is_directory(file, ignored)) {
    throw bad_use(file.string() + ": is not a regular file");
  }
}

}  // namespace layersim
