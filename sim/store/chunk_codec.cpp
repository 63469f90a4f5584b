#include "sim/store/chunk_codec.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

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
  constexpr std::size_t kSample = 512;
  constexpr int kEvenlyAtMost = 5 * static_cast<int>(kSample) / 256;
  if (elements < kSample) return false;
  const std::size_t planes = shuffled.size() / elements;
  const std::size_t step = elements / kSample;
  std::size_t noisy = 0;
  for (std::size_t plane = 0; plane < planes; ++plane) {
    std::array<int, 256> counts{};
    for (std::size_t i = 0; i < kSample; ++i) ++counts[shuffled[plane * elements + i * step]];
    noisy += *std::max_element(counts.begin(), counts.end()) <= kEvenlyAtMost ? 1 : 0;
  }
  return 2 * noisy > planes;
}

// Byte 0 of all elements, then byte 1 of all, and so on.
template <typename Element>
void shuffle(std::span<const unsigned char> raw, unsigned char* out) {
  const std::size_t elements = raw.size() / sizeof(Element);
  for (std::size_t i = 0; i < elements; ++i) {
    Element element;
    std::memcpy(&element, raw.data() + i * sizeof(Element), sizeof(Element));
    for (std::size_t plane = 0; plane < sizeof(Element); ++plane) {
      out[plane * elements + i] = static_cast<unsigned char>(element >> (8 * plane));
    }
  }
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
  if (element_bytes == sizeof(std::uint64_t)) {
    shuffle<std::uint64_t>(raw, shuffled_.data());
  } else {
    shuffle<std::uint32_t>(raw, shuffled_.data());
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
