#pragma once
// The first 512 bytes of our HDF5 files, before the part that HDF5 reads (its user block): a few lines of
// text with the kind of file, its schema version, its size and a CRC-32 of the rest. A file is checked
// against them before HDF5 sees it, because the library may crash on damaged files.

#include <cstddef>
#include <string>
#include <string_view>

namespace layersim {

inline constexpr int kStoreSchemaVersion = 1;
inline constexpr std::size_t kStoreHeaderBytes = 512;

struct FileFormat {
  std::string_view name;
  int schema_version = 1;
};
inline constexpr FileFormat kStoreFormat{"store", kStoreSchemaVersion};

// The file begins as a store does; false also when it cannot be read.
[[nodiscard]] bool looks_like_store(const std::string& path);

// Throws bad_input with one line when the file is of another format or a newer schema, cut off or changed.
void check_store_header(const std::string& path, FileFormat format = kStoreFormat);

// For a file that is complete but for its header. Leaves it on the disk (fsync).
void write_store_header(const std::string& path, FileFormat format = kStoreFormat);

}  // namespace layersim
