#include "sim/store/store_lock.h"

#include <sys/file.h>
#include <sys/stat.h>

#include <cstdio>
#include <filesystem>

#include "sim/core/error.h"
#include "sim/core/regular_file.h"

namespace layersim {

namespace {

// The file at `path` is still the one that `fd` has open, not a newer one of the same name.
bool is_same_file(int fd, const std::string& path) {
  struct stat opened {};
  struct stat named {};
  return fstat(fd, &opened) == 0 && stat(path.c_str(), &named) == 0 && opened.st_dev == named.st_dev &&
         opened.st_ino == named.st_ino;
}

void sync_file(const std::string& path, int flags) {
  const FileDescriptor file(path, flags);
  if (!file.is_open() || fsync(file.get()) != 0) throw bad_use("cannot be written: " + system_message());
}

}  // namespace

StoreLock::StoreLock(const std::string& store) : path_(store + ".lock") {
  // The holder removes the file before it lets go, so a lock may turn out to be on a file that is gone: take
  // the new one.
  do {
    file_ = FileDescriptor(path_, O_RDWR | O_CREAT);
    if (!file_.is_open()) throw bad_use("cannot be written: " + system_message());
    if (flock(file_.get(), LOCK_EX | LOCK_NB) != 0) {
      throw bad_use(errno == EWOULDBLOCK ? "is being written by another process"
                                         : "cannot be locked: " + system_message());
    }
  } while (!is_same_file(file_.get(), path_));
}

StoreLock::~StoreLock() { unlink(path_.c_str()); }

Replacement::Replacement(const std::string& target) : target_(target), path_(target + ".partial") {
  check_replaceable(target);
}

Replacement::~Replacement() {
  if (!committed_) unlink(path_.c_str());
}

void Replacement::commit() {
  struct stat old {};
  if (stat(target_.c_str(), &old) == 0) chmod(path_.c_str(), old.st_mode & 07777);
  sync_file(path_, O_RDWR);
  if (std::rename(path_.c_str(), target_.c_str()) != 0) {
    throw bad_use("cannot replace " + target_ + ": " + system_message());
  }
  committed_ = true;
  const std::string folder = std::filesystem::path(target_).parent_path().string();
  sync_file(folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY);
}

std::string resolve_links(const std::string& path) {
  std::error_code error;
  const auto resolved = std::filesystem::canonical(path, error);
  return error ? path : resolved.string();
}

}  // namespace layersim
