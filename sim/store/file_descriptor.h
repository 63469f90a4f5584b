#pragma once
// A file descriptor that closes itself.

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

namespace layersim {

class FileDescriptor {
 public:
  FileDescriptor() = default;
  FileDescriptor(const std::string& path, int flags, mode_t mode = 0666)
      : fd_(open(path.c_str(), flags | O_CLOEXEC, mode)) {}
  explicit FileDescriptor(int opened) : fd_(opened) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }

  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool is_open() const { return fd_ >= 0; }
  // 0, or the error that some writing met as late as now.
  [[nodiscard]] int close() { return ::close(std::exchange(fd_, -1)) == 0 ? 0 : errno; }

 private:
  int fd_ = -1;
};

// Of the call that failed last: "No space left on device".
[[nodiscard]] inline std::string system_message() { return std::strerror(errno); }

}  // namespace layersim
