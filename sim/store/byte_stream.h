#pragma once
// The bytes of a file, gzip undone where the file is gzip, read ahead by a thread of its own so that
// decompression and parsing overlap. Memory: a few blocks, whatever the size of the file.

#include <memory>
#include <string>
#include <vector>

namespace layersim {

class ByteStream {
 public:
  // Throws bad_input when the file cannot be opened.
  explicit ByteStream(const std::string& path);
  ~ByteStream();
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;

  // The next block, empty at the end. Throws bad_input when reading fails or the gzip data is damaged.
  [[nodiscard]] std::vector<char> next_block();

  // SHA-256 of the file as it lies on disk; to be asked for at the end of the stream.
  [[nodiscard]] const std::string& sha256() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

[[nodiscard]] std::string file_sha256(const std::string& path);

}  // namespace layersim
