#include "sim/store/chunk_codec.h"

#include <algorithm>
#include <array>

#include "sim/core/error.h"

namespace layersim {

namespace {

void start(z_stream& stream, int level, int strategy) {
  constexpr int kDefaultMemory = 8;
  if (deflateInit2(&stream, level, Z_DEFLATED, MAX_WBITS, kDefaultMemory, strategy) != Z_OK) {
    throw internal_error("zlib does not start");
  }
}

// Most byte planes hold nearly all values evenly: Huffman codes would gain next to nothing.
bool is_noise(std::span<const unsigned char> shuffled, std::size_t elements) {
  constexpr std::size_t kSample = 2048;
  constexpr std::size_t kEvenlyAtMost = 4 * kSample / 256;
  const std::size_t sample = std::min(elements, kSample);
  if (sample < kSample) return false;
  const std::size_t planes = shuffled.size() / elements;
  std::size_t noisy = 0;
  for (std::size_t plane = 0; plane < planes; ++plane) {
    std::array<std::uint16_t, 256> counts{};
    for (const unsigned char byte : shuffled.subspan(plane * elements, sample)) ++counts[byte];
    noisy += *std::max_element(counts.begin(), counts.end()) <= kEvenlyAtMost ? 1 : 0;
  }
  return 2 * noisy > planes;
}

}  // namespace

ChunkEncoder::ChunkEncoder() {
  start(run_length_, 1, Z_RLE);
  start(store_, 0, Z_DEFAULT_STRATEGY);
}

ChunkEncoder::~ChunkEncoder() {
  deflateEnd(&run_length_);
  deflateEnd(&store_);
}

std::span<const unsigned char> ChunkEncoder::encode(std::span<const unsigned char> raw,
                                                    std::size_t element_bytes) {
  const std::size_t elements = raw.size() / element_bytes;
  shuffled_.resize(raw.size());
  for (std::size_t plane = 0; plane < element_bytes; ++plane) {
    unsigned char* const out = shuffled_.data() + plane * elements;
    for (std::size_t i = 0; i < elements; ++i) out[i] = raw[i * element_bytes + plane];
  }
  z_stream& stream = is_noise(shuffled_, elements) ? store_ : run_length_;
  deflateReset(&stream);
  encoded_.resize(deflateBound(&stream, static_cast<uLong>(raw.size())));
  stream.next_in = shuffled_.data();
  stream.avail_in = static_cast<uInt>(shuffled_.size());
  stream.next_out = encoded_.data();
  stream.avail_out = static_cast<uInt>(encoded_.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) throw internal_error("zlib does not compress a chunk");
  return {encoded_.data(), stream.total_out};
}

}  // namespace layersim
