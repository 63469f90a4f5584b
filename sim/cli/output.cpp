#include "sim/cli/output.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "sim/core/error.h"
#include "sim/core/regular_file.h"

namespace layersim {
namespace {

constexpr int kDefaultWidth = 100;
constexpr int kLeastWidth = 40;
constexpr int kMostWidth = 240;  // wider tables are no easier to read

Error cannot_write(const std::string& what, int error) {
  return bad_use(what + ": cannot be written: " + std::strerror(error));
}

// Returns errno, 0 when all is written.
int try_write(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace

void print(std::string_view text) {
  const int error = try_write(STDOUT_FILENO, text);
  if (error == EPIPE) throw ReaderGone{};
  if (error != 0) throw cannot_write("standard output", error);
}

void check_folder_of(const std::string& file) {
  std::filesystem::path folder = std::filesystem::path(file).parent_path();
  if (folder.empty()) folder = ".";
  // "/.": a file of that name is told as no folder.
  if (::access((folder / ".").c_str(), W_OK | X_OK) != 0) throw cannot_write(file, errno);
}

void write_text(const std::string& file, std::string_view text) {
  GrowingFile output(file);
  output.add(text);
  output.commit();
}

GrowingFile::GrowingFile(const std::string& file) : file_(file) {
  if (file.empty() || file == "-") return;
  if (is_device_or_pipe(file)) {
    descriptor_ = FileDescriptor(open_device_or_pipe(file));
    return;
  }
  pending_ = std::make_unique<PendingFile>(file);
  descriptor_ = FileDescriptor(pending_->path().string(), O_WRONLY | O_TRUNC);
  if (!descriptor_.is_open()) throw cannot_write(file, errno);
}

void GrowingFile::add(std::string_view text) {
  if (file_ == "-") print(text);
  if (!descriptor_.is_open()) return;
  if (const int error = try_write(descriptor_.get(), text); error != 0) throw cannot_write(file_, error);
}

void GrowingFile::commit() {
  if (!descriptor_.is_open()) return;
  if (const int error = descriptor_.close(); error != 0) throw cannot_write(file_, error);
  if (pending_) pending_->commit();
}

PendingFile::PendingFile(std::filesystem::path target) : target_(std::move(target)) {
  // A link stays a link: what it points to is replaced.
  std::error_code error;
  if (std::filesystem::is_symlink(target_, error)) {
    const auto resolved = std::filesystem::weakly_canonical(target_, error);
    if (!error) target_ = resolved;
  }
  check_replaceable(target_);
  check_folder_of(target_.string());
  // Several may be pending for one target.
  static std::atomic<int> number = 0;
  pending_ = target_;
  pending_.replace_filename("." + target_.filename().string() + "." + std::to_string(::getpid()) + "." +
                            std::to_string(++number) + ".tmp");
  std::filesystem::remove(pending_, error);
  const int descriptor = ::open(pending_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
  if (descriptor < 0) throw cannot_write(target_.string(), errno);
  ::close(descriptor);
}

PendingFile::~PendingFile() {
  std::error_code ignored;
  if (!pending_.empty()) std::filesystem::remove(pending_, ignored);
}

void PendingFile::fill(const std::function<void(const std::filesystem::path&)>& write) const {
  try {
    write(pending_);
  } catch (const Error& error) {
    std::string message = error.what();
    const std::size_t at = message.find(pending_.string());
    if (at == std::string::npos) throw;
    throw Error(error.kind(), message.replace(at, pending_.string().size(), target_.string()));
  }
}

void PendingFile::commit() {
  std::error_code error;
  std::filesystem::rename(pending_, target_, error);
  if (error) throw bad_use(target_.string() + ": cannot be written: " + error.message());
  pending_.clear();
}

int output_width() {
  int width = 0;
  if (const char* columns = std::getenv("COLUMNS"); columns != nullptr) {
    std::from_chars(columns, columns + std::strlen(columns), width);
  }
  winsize size{};
  if (width <= 0 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) width = size.ws_col;
  return width <= 0 ? kDefaultWidth : std::clamp(width, kLeastWidth, kMostWidth);
}

}  // namespace layersim
