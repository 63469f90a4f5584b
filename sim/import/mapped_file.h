#pragma once
// A file's bytes in memory without reading it: pages that are never touched cost nothing.

#include <filesystem>
#include <string_view>

namespace layersim {

class MappedFile {
 public:
  // Throws bad_input for what cannot be read, for directories and for empty files.
  explicit MappedFile(const std::filesystem::path& file);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  [[nodiscard]] std::string_view bytes() const { return bytes_; }

 private:
  void* reserved_ = nullptr;
  std::size_t reserved_size_ = 0;
  std::string_view bytes_;
};

}  // namespace layersim
