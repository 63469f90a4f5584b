#pragma once
// Random numbers that are the same on every machine and standard library: splitmix64 (Steele, Lea, Flood
// 2014). A stream is started from a seed and an index, so that problem 1000 can be drawn without the 999
// before it.

#include <cmath>
#include <cstdint>

namespace layersim {

class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::uint64_t index) : state_(seed) {
    state_ = next() ^ (index * 0xd1342543de82ef95ULL);
  }

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t value = state_;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
    return value ^ (value >> 31);
  }
  // In [0, 1).
  double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  // A whole number in [low, high].
  std::int64_t between(std::int64_t low, std::int64_t high) {
    const auto count = static_cast<double>(high - low) + 1;
    return low + static_cast<std::int64_t>(unit() * count);
  }
  // The same, each factor as likely as any other; low is at least 1.
  std::int64_t log_between(std::int64_t low, std::int64_t high) {
    const double from = std::log(static_cast<double>(low));
    const double to = std::log(static_cast<double>(high) + 1);
    const auto value = static_cast<std::int64_t>(std::exp(from + unit() * (to - from)));
    return value < low ? low : value > high ? high : value;
  }

 private:
  std::uint64_t state_;
};

}  // namespace layersim
