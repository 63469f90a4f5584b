#pragma once
// Where text goes: standard output, or files that appear whole or not at all.

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "sim/store/file_descriptor.h"

namespace layersim {

// Whoever read our standard output closed it: nothing is left to do.
struct ReaderGone {};

// To standard output. Throws bad_use when it cannot be written (disk full).
void print(std::string_view text);

// To a file, a device or a pipe, or to standard output for "-". Throws bad_use naming the file when it cannot
// be written.
void write_text(const std::string& file, std::string_view text);
// Throws bad_use where no file can be made of that name, before long work whose result goes there.
void check_folder_of(const std::string& file);

// An empty file beside `target` that takes the new content; commit() puts it in the target's place. Without
// commit nothing remains.
class PendingFile {
 public:
  // Throws bad_use naming the target where no file can be made of that name, or where it is a device, a pipe
  // or a folder.
  explicit PendingFile(std::filesystem::path target);
  ~PendingFile();
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return pending_; }
  // Calls `write` with path(). An error of it that names the pending file is told by the target's name.
  void fill(const std::function<void(const std::filesystem::path&)>& write) const;
  void commit();

 private:
  std::filesystem::path target_;
  std::filesystem::path pending_;
};

// A file, a device or a pipe that takes text piece by piece, or standard output for "-". A file appears whole
// or not at all.
class GrowingFile {
 public:
  // Empty: nothing is written. Throws bad_use naming the file where it cannot be written.
  explicit GrowingFile(const std::string& file);
  void add(std::string_view text);
  void commit();

 private:
  std::string file_;
  std::unique_ptr<PendingFile> pending_;
  FileDescriptor descriptor_;
};

// Of the terminal (COLUMNS where that is set); 100 where standard output is none.
[[nodiscard]] int output_width();

}  // namespace layersim
