// The kernel for vectors of kLanes floats. Included by each dense_kernel_*.cpp inside its own unnamed
// namespace, after kLanes is defined: what is compiled for one instruction set must not be shared with
// another.

using Lanes = float __attribute__((vector_size(kLanes * sizeof(float))));
using IntLanes = std::int32_t __attribute__((vector_size(kLanes * sizeof(float))));

constexpr int kTileOutputs = 4;  // outputs that share the loads of one input
constexpr int kTileVectors = 2;  // of rows that share the loads of one weight

inline Lanes load(const float* from) {
  Lanes lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}

inline void store(float* to, Lanes lanes) { std::memcpy(to, &lanes, sizeof lanes); }

// Of element `index` of an array whose elements are `stride` floats apart.
inline std::ptrdiff_t offset(int index, int stride) { return static_cast<std::ptrdiff_t>(index) * stride; }

inline Lanes clamp(Lanes x, float low, float high) {
  x = x < low ? Lanes{} + low : x;
  return x > high ? Lanes{} + high : x;
}

// Relative error below 2e-7 for |x| <= 87, clamped beyond: 2^n * e^r with Cephes' polynomial (expf) in r.
inline Lanes exp_lanes(Lanes x) {
  x = clamp(x, -87.0F, 87.0F);
  constexpr float kRound = 12582912.0F;  // 1.5 x 2^23: adding it leaves the nearest integer in the low bits
  const Lanes shifted = x * 1.44269504F + kRound;
  const Lanes n = shifted - kRound;
  const Lanes r = (x - n * 0.693359375F) + n * 2.12194440e-4F;
  Lanes p = r * 1.9875691500e-4F + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  p = p * r * r + r + 1.0F;
  const IntLanes exponent = (reinterpret_cast<IntLanes>(shifted) << 23) + (127 << 23);
  return p * reinterpret_cast<Lanes>(exponent);
}

void dense(DenseWeights weights, const float* bias, int inputs, int outputs, bool silu, const float* in,
           float* out) {
  for (int first = 0; first < outputs; first += kTileOutputs) {
    // The last tile may be short: it then repeats the last output instead of reading past the end.
    const float* w[kTileOutputs];
    for (int o = 0; o < kTileOutputs; ++o) {
      w[o] = weights.values + offset(std::min(first + o, outputs - 1), weights.stride);
    }
    const int written = std::min(kTileOutputs, outputs - first);
    for (int row = 0; row < kBlockRows; row += kTileVectors * kLanes) {
      // Eight sums at once, as many as the multipliers need to be busy all the time.
      Lanes sums[kTileOutputs][kTileVectors] = {};
      for (int i = 0; i < inputs; ++i) {
        const float* x = in + offset(i, kBlockRows) + row;
        const Lanes x0 = load(x);
        const Lanes x1 = load(x + kLanes);
        for (int o = 0; o < kTileOutputs; ++o) {
          sums[o][0] += w[o][i] * x0;
          sums[o][1] += w[o][i] * x1;
        }
      }
      for (int o = 0; o < written; ++o) {
        for (int v = 0; v < kTileVectors; ++v) {
          Lanes y = sums[o][v] + bias[first + o];
          if (silu) y = y / (1.0F + exp_lanes(-y));
          store(out + offset(first + o, kBlockRows) + row + offset(v, kLanes), y);
        }
      }
    }
  }
}

void log_sum_exp(const float* factors, const float* terms, int count, float* out) {
  for (int row = 0; row < kBlockRows; row += kLanes) {
    Lanes highest = load(factors + row) + load(terms + row);
    for (int k = 1; k < count; ++k) {
      const std::ptrdiff_t at = offset(k, kBlockRows) + row;
      const Lanes z = load(factors + at) + load(terms + at);
      highest = z > highest ? z : highest;
    }
    Lanes sum = {};
    for (int k = 0; k < count; ++k) {
      const std::ptrdiff_t at = offset(k, kBlockRows) + row;
      sum += exp_lanes(load(factors + at) + load(terms + at) - highest);
    }
    for (int r = 0; r < kLanes; ++r) out[row + r] = highest[r] + std::log(sum[r]);
  }
}
