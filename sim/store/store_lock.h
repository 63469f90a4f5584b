#pragma once
// How a store is changed: never in place. A writer takes the lock, writes a whole new file beside the store,
// puts it on the disk and renames it over the store. So a reader, and a machine that lost power, sees the old
// store or the new one and nothing between; what is left of a killed writer is a `.partial` file, which the
// next one overwrites.

#include <string>

#include "sim/store/file_descriptor.h"

namespace layersim {

// Held by the one process that writes a store: a file `<store>.lock` that is locked with flock, so that the
// lock ends with its process, however that ends.
class StoreLock {
 public:
  // Throws bad_use when another process holds it or the folder cannot be written.
  explicit StoreLock(const std::string& store);
  ~StoreLock();
  StoreLock(const StoreLock&) = delete;
  StoreLock& operator=(const StoreLock&) = delete;

 private:
  std::string path_;
  FileDescriptor file_;
};

// The new file beside the one that it will replace.
class Replacement {
 public:
  // Throws bad_use where the target is a device, a pipe or a folder.
  explicit Replacement(const std::string& target);
  // Removes the new file when it was not committed.
  ~Replacement();
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  // Puts it on the disk and in the place of the target. On return it is there to stay.
  void commit();

 private:
  std::string target_;
  std::string path_;
  bool committed_ = false;
};

// The file itself when `path` is a symbolic link to it.
[[nodiscard]] std::string resolve_links(const std::string& path);

}  // namespace layersim
