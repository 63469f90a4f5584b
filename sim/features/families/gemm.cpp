// Matrix products: dense layers and products of two activations. As a product of (batch) x m x k and k x n,
// beside the plain sizes: how m, n, k fill the tiles that BLAS libraries use, how many waves of tiles the
// device runs, what fits the cache, and where in a period of sizes k and n lie (libraries choose kernels by
// size classes, which shows as steps).

#include <algorithm>
#include <array>
#include <bit>

#include "sim/features/families/make_family.h"
#include "sim/features/families/problem_sizes.h"

namespace layersim {
namespace {

constexpr std::array<std::string_view, 5> kTerms{"launch", "flop", "memory", "backward_memory", "update"};

struct GemmSizes {
  explicit GemmSizes(const Problem& problem);

  std::int64_t batch = 1, m = 1, n = 1, k = 1, bias = 0;
  bool transposed_a = false, transposed_b = false;
  bool stored = false;  // one operand is a weight
};

GemmSizes::GemmSizes(const Problem& problem) {
  struct Places {
    ParameterPlace rows{"dense", "rows"}, in_features{"dense", "in_features"},
        out_features{"dense", "out_features"}, bias{"dense", "bias"}, batch{"matmul", "batch"},
        m{"matmul", "m"}, n{"matmul", "n"}, k{"matmul", "k"}, transposed_a{"matmul", "transposed_a"},
        transposed_b{"matmul", "transposed_b"};
  };
  static const Places kPlaces;
  static const LayerKind* const kDense = find_layer_kind("dense");
  stored = problem.kind == kDense;
  if (stored) {
    m = kPlaces.rows.of(problem);
    k = kPlaces.in_features.of(problem);
    n = kPlaces.out_features.of(problem);
    bias = kPlaces.bias.of(problem);
  } else {
    batch = kPlaces.batch.of(problem);
    m = kPlaces.m.of(problem);
    n = kPlaces.n.of(problem);
    k = kPlaces.k.of(problem);
    transposed_a = kPlaces.transposed_a.of(problem) != 0;
    transposed_b = kPlaces.transposed_b.of(problem) != 0;
  }
}

template <typename Sink>
void write_size(Sink& sink, std::int64_t size, std::string_view log_name, std::string_view divisible,
                std::string_view fill, std::string_view is_one) {
  sink.add(log_name, "1", safe_log(static_cast<double>(size)));
  for (const int t : {2, 4, 8, 32}) sink.add(divisible, t, "flag", flag(size % t == 0));
  for (const int t : {16, 32, 64, 128, 256}) sink.add(fill, t, "1", occupancy(size, t));
  sink.add(is_one, "flag", flag(size == 1));
}

// Each period is half the one before it, so that the angle doubles.
template <typename Sink, std::size_t kCount>
void write_periods(Sink& sink, std::int64_t size, const std::array<int, kCount>& periods,
                   std::string_view sine, std::string_view cosine) {
  const float angle = 6.2831853F * static_cast<float>(size % periods[0]) / static_cast<float>(periods[0]);
  float sin_angle = std::sin(angle);
  float cos_angle = std::cos(angle);
  for (const int period : periods) {
    sink.add(sine, period, "1", sin_angle);
    sink.add(cosine, period, "1", cos_angle);
    const float sin_doubled = 2 * sin_angle * cos_angle;
    cos_angle = 1 - 2 * sin_angle * sin_angle;
    sin_angle = sin_doubled;
  }
}

template <typename Sink>
void write_features(Sink& sink, const FeatureQuery& query, const DeviceNumbers& device, float* log_terms) {
  const Problem& problem = *query.layer.problem;
  const LayerWork& work = *query.layer.work;
  const GemmSizes s(problem);
  const double batch = static_cast<double>(s.batch);
  const double m = static_cast<double>(s.m);
  const double n = static_cast<double>(s.n);
  const double k = static_cast<double>(s.k);
  const bool training = query.pass == Pass::training;
  const double flop = 2 * work.forward.macs;
  const double bytes = work.forward.bytes();
  const double flop_ms = flop / device.matrix_flop_per_ms;
  const double memory_ms = bytes / device.bytes_per_ms;
  double updated = query.layer.learned_elements;
  if (query.updates_activations) updated += batch * (m * k + m * n);
  const double update_ms =
      training ? updated * (device.optimizer.reads + device.optimizer.writes) * 4 / device.bytes_per_ms : 0;
  const double gradients =
      (query.layer.needs_input_gradient ? 1 : 0) + (query.layer.needs_weight_gradient ? 1 : 0);
  const std::array<double, kTerms.size()> terms{0.02, flop_ms * (training ? 1 + gradients : 1), memory_ms,
                                                training ? gradients * memory_ms : 0, update_ms};
  const double roofline_ms = write_log_terms(terms, log_terms);

  sink.add("log_batch", "1", safe_log(batch));
  write_size(sink, s.m, "log_m", "m_divisible_by_", "m_fill_", "m_is_1");
  write_size(sink, s.n, "log_n", "n_divisible_by_", "n_fill_", "n_is_1");
  write_size(sink, s.k, "log_k", "k_divisible_by_", "k_fill_", "k_is_1");
  sink.add("log_output_elements", "element", safe_log(batch * m * n));
  sink.add("log_matrix_elements", "element", safe_log(m * n));
  sink.add("log_left_elements", "element", safe_log(batch * m * k));
  sink.add("log_right_elements", "element", safe_log(k * n));
  sink.add("log_flop", "FLOP", safe_log(flop));
  sink.add("log_flop_time", "ms", safe_log(flop_ms));
  sink.add("log_memory_time", "ms", safe_log(memory_ms));
  sink.add("log_intensity", "FLOP/byte", safe_log(flop / bytes));
  sink.add("log_roofline_time", "ms", safe_log(roofline_ms));
  sink.add("log_update_time", "ms", update_ms > 0 ? safe_log(update_ms) : 0);
  constexpr std::array<std::array<int, 2>, 6> kTileSizes{
      {{32, 32}, {64, 64}, {128, 64}, {64, 128}, {128, 128}, {256, 128}}};
  for (const auto& [rows, columns] : kTileSizes) {
    const std::int64_t count = s.batch * tiles(s.m, rows) * tiles(s.n, columns);
    const int label = rows * 1000 + columns;
    sink.add("wave_fill_", label, "1", occupancy(count, device.multiprocessor_count));
    sink.add("log_waves_", label, "1",
             limited(safe_log(static_cast<double>(count) / device.multiprocessors), -5, 5));
  }
  sink.add("log_smaller_side", "1", safe_log(std::min(m, n)));
  sink.add("log_larger_side", "1", safe_log(std::max(m, n)));
  sink.add("log_bytes_to_l2", "1", limited(safe_log(bytes / device.l2_bytes), -6, 6));
  sink.add("log_right_to_l2", "1", limited(safe_log(device.element_bytes * k * n / device.l2_bytes), -6, 6));
  sink.add("log_bytes_to_memory", "1", limited(safe_log(bytes / device.memory_bytes), -8, 1));
  sink.add("batch_is_1", "flag", flag(s.batch == 1));
  sink.add("stored_operand", "flag", flag(s.stored));
  sink.add("transposed_a", "flag", flag(s.transposed_a));
  sink.add("transposed_b", "flag", flag(s.transposed_b));
  sink.add("bias", "flag", static_cast<float>(s.bias));
  sink.add("is_training", "flag", flag(training));
  for (const Activation activation : {Activation::relu, Activation::tanh, Activation::sigmoid}) {
    sink.add(name(activation), "flag", flag(problem.activation == activation));
  }
  for (int rows = 1; rows <= 8; ++rows) sink.add("m_is_exactly_", rows, "flag", flag(s.m == rows));
  for (const int rows : {8, 16, 24, 32, 48}) sink.add("m_at_most_", rows, "flag", flag(s.m <= rows));
  constexpr std::array kFeaturePeriods{4096, 2048, 1024, 512, 256};
  write_periods(sink, s.k, kFeaturePeriods, "sine_k_", "cosine_k_");
  write_periods(sink, s.n, kFeaturePeriods, "sine_n_", "cosine_n_");
  write_periods(sink, s.m, std::array{64, 32, 16, 8}, "sine_m_", "cosine_m_");
  sink.add("no_input_gradient", "flag", flag(training && !query.layer.needs_input_gradient));
}

bool covers(const Problem& problem) {
  static const LayerKind* const kDense = find_layer_kind("dense");
  static const LayerKind* const kMatmul = find_layer_kind("matmul");
  return problem.kind == kDense || problem.kind == kMatmul;
}

}  // namespace

const FeatureFamily& feature_family_gemm() {
  static const FeatureFamily kFamily =
      make_family("gemm", "dense", kTerms, covers, [](auto&&... args) { write_features(args...); });
  return kFamily;
}

}  // namespace layersim
