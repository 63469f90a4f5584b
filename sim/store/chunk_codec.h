#pragma once
// Compressed chunks of a column as HDF5's shuffle and deflate filters make them, but faster: chunks are
// written past the filters (H5Dwrite_chunk), so that the zlib strategy can be chosen. Run lengths and Huffman
// codes alone are three times as fast as the quickest level of the filter and as small on these data; digits
// of measured times do not compress, and are stored.

#include <zlib.h>

#include <cstddef>
#include <span>
#include <vector>

namespace layersim {

class ChunkEncoder {
 public:
  ChunkEncoder();
  ~ChunkEncoder();
  ChunkEncoder(const ChunkEncoder&) = delete;
  ChunkEncoder& operator=(const ChunkEncoder&) = delete;

  // Elements of 4 or 8 bytes in little-endian order. The result is valid until the next call.
  [[nodiscard]] std::span<const unsigned char> encode(std::span<const unsigned char> raw,
                                                      std::size_t element_bytes);

 private:
  z_stream run_length_{};
  z_stream store_{};
  std::vector<unsigned char> shuffled_;
  std::vector<unsigned char> encoded_;
};

}  // namespace layersim
