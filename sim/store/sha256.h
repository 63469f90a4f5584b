#pragma once
// SHA-256 (FIPS 180-4): names the source file of imported rows, as sha256sum prints it.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace layersim {

class Sha256 {
 public:
  void update(std::span<const unsigned char> bytes);
  // 64 hexadecimal digits; no update may follow.
  [[nodiscard]] std::string hex_digest();

 private:
  void compress(const unsigned char* block);

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> block_{};
  std::size_t filled_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace layersim
