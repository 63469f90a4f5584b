#include "sim/store/store_header.h"

#include <sys/stat.h>
#include <zlib.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/core/error.h"
#include "sim/core/own_file.h"
#include "sim/store/file_descriptor.h"

namespace layersim {

namespace {

std::string magic(FileFormat format) { return "layersim " + std::string(format.name) + '\n'; }

struct Contents {
  std::uint64_t bytes = 0;  // of the whole file
  std::uint32_t crc = 0;    // of what follows the header
};

std::string read_header(int fd) {
  std::string header(kStoreHeaderBytes, '\0');
  const ssize_t count = pread(fd, header.data(), header.size(), 0);
  header.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
  return header;
}

Contents read_contents(int fd) {
  Contents contents;
  contents.bytes = kStoreHeaderBytes;
  uLong crc = crc32(0, nullptr, 0);
  std::vector<unsigned char> block(std::size_t{1} << 18);
  while (true) {
    const ssize_t count = pread(fd, block.data(), block.size(), static_cast<off_t>(contents.bytes));
    if (count < 0) throw bad_input("cannot read: " + system_message());
    if (count == 0) break;
    crc = crc32(crc, block.data(), static_cast<uInt>(count));
    contents.bytes += static_cast<std::uint64_t>(count);
  }
  contents.crc = static_cast<std::uint32_t>(crc);
  return contents;
}

// The number after "<key> " on a line of its own.
std::optional<std::uint64_t> header_value(std::string_view header, std::string_view key, int base) {
  const std::size_t at = header.find(std::string("\n").append(key).append(" "));
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view text = header.substr(at + key.size() + 2);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end == text.data() + text.size() || *end != '\n') return std::nullopt;
  return value;
}

std::string header_text(const Contents& contents, FileFormat format) {
  std::array<char, 32> crc{};
  std::snprintf(crc.data(), crc.size(), "%08x", contents.crc);
  std::string text = magic(format) + "schema_version " + std::to_string(format.schema_version) + "\nbytes " +
                     std::to_string(contents.bytes) + "\ncrc32 " + crc.data() + "\n";
  text.resize(kStoreHeaderBytes, '\n');
  return text;
}

}  // namespace

bool looks_like_store(const std::string& path) {
  const FileDescriptor file(path, O_RDONLY);
  return file.is_open() && read_header(file.get()).starts_with(magic(kStoreFormat));
}

void check_store_header(const std::string& path, FileFormat format) {
  const std::string what(format.name);
  const FileDescriptor file(path, O_RDONLY);
  if (!file.is_open()) throw bad_input("cannot open: " + system_message());
  struct stat status {};
  if (fstat(file.get(), &status) == 0 && S_ISDIR(status.st_mode)) throw bad_input("is a folder");
  const std::string header = read_header(file.get());
  if (!header.starts_with(magic(format))) {
    refuse_own_file(header);
    throw bad_input("is not a " + what + " of layersim");
  }
  const auto version = header_value(header, "schema_version", 10);
  const auto bytes = header_value(header, "bytes", 10);
  const auto crc = header_value(header, "crc32", 16);
  if (version && *version > static_cast<std::uint64_t>(format.schema_version)) {
    throw bad_input("is a " + what + " of schema version " + std::to_string(*version) +
                    "; this program reads up to " + std::to_string(format.schema_version));
  }
  if (!version || *version < 1 || !bytes || !crc || header.size() != kStoreHeaderBytes) {
    throw bad_input("is a damaged " + what + ": its header is not readable");
  }
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size != *bytes) {
    throw bad_input("is a damaged " + what + ": it has " + std::to_string(size) + " bytes and should have " +
                    std::to_string(*bytes));
  }
  const Contents contents = read_contents(file.get());
  if (header != header_text(contents, format) || contents.crc != *crc) {
    throw bad_input("is a damaged " + what +
                    ", or was changed by another program: the checksum does not fit");
  }
}

void write_store_header(const std::string& path, FileFormat format) {
  const FileDescriptor file(path, O_RDWR);
  if (!file.is_open()) throw bad_input("cannot open: " + system_message());
  const std::string text = header_text(read_contents(file.get()), format);
  if (pwrite(file.get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()) ||
      fsync(file.get()) != 0) {
    throw bad_input("cannot write: " + system_message());
  }
}

}  // namespace layersim
