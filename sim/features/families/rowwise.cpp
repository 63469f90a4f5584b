// Operators that reduce along rows and write them back: softmax and the norms that go along a row. A block of
// threads takes a row or a few, so what matters is how many rows fill the device and how a row fills a block.

#include <algorithm>
#include <array>
#include <bit>

#include "sim/features/families/make_family.h"
#include "sim/features/families/problem_sizes.h"

namespace layersim {
namespace {

constexpr std::array<std::string_view, 3> kTerms{"launch", "memory", "rows"};
constexpr int kSoftmaxFunctions = 4;  // of the kind's choices: softmax, log_softmax, hardmax, loss

template <typename Sink>
void write_features(Sink& sink, const FeatureQuery& query, const DeviceNumbers& device, float* log_terms) {
  struct Places {
    ParameterPlace softmax_rows{"softmax", "rows"}, softmax_cols{"softmax", "cols"},
        softmax_function{"softmax", "function"}, norm_rows{"norm", "rows"}, norm_cols{"norm", "cols"};
  };
  static const Places kPlaces;
  static const LayerKind* const kSoftmax = find_layer_kind("softmax");
  const Problem& problem = *query.layer.problem;
  const bool softmax = problem.kind == kSoftmax;
  const std::int64_t rows = softmax ? kPlaces.softmax_rows.of(problem) : kPlaces.norm_rows.of(problem);
  const std::int64_t cols = softmax ? kPlaces.softmax_cols.of(problem) : kPlaces.norm_cols.of(problem);
  const double bytes = query.layer.work->forward.bytes();
  const double memory_ms = bytes / device.bytes_per_ms;
  const std::array<double, kTerms.size()> terms{0.02, memory_ms,
                                                static_cast<double>(rows) / device.multiprocessors * 1e-4};
  const double roofline_ms = write_log_terms(terms, log_terms);

  sink.add("log_rows", "1", safe_log(static_cast<double>(rows)));
  sink.add("log_cols", "1", safe_log(static_cast<double>(cols)));
  sink.add("log_elements", "element", safe_log(static_cast<double>(rows) * static_cast<double>(cols)));
  sink.add("log_memory_time", "ms", safe_log(memory_ms));
  sink.add("log_roofline_time", "ms", safe_log(roofline_ms));
  sink.add("softmax", "flag", flag(softmax));
  for (const int t : {2, 4, 8, 32}) sink.add("cols_divisible_by_", t, "flag", flag(cols % t == 0));
  for (const int t : {32, 128, 256, 512, 1024}) sink.add("cols_fill_", t, "1", occupancy(cols, t));
  const auto power =
      static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(cols, 1))));
  sink.add("cols_fill_power_of_2", "1", static_cast<float>(cols) / static_cast<float>(power));
  sink.add("log_power_of_2", "1", safe_log(static_cast<double>(power)));
  sink.add("cols_at_most_1024", "flag", flag(cols <= 1024));
  sink.add("log_cols_beyond_1024", "1", safe_log(std::max(static_cast<double>(cols) / 1024, 1.0)));
  sink.add("log_blocks_of_1024", "1", safe_log(static_cast<double>(tiles(cols, 1024))));
  for (const int t : {1, 4, 8, 16}) {
    const std::int64_t blocks = tiles(rows, t);
    sink.add("wave_fill_", t, "1", occupancy(blocks, device.multiprocessor_count));
    sink.add("log_waves_", t, "1",
             limited(safe_log(static_cast<double>(blocks) / device.multiprocessors), -5, 8));
  }
  sink.add("log_bytes_to_l2", "1", limited(safe_log(bytes / device.l2_bytes), -6, 6));
  write_pass(sink, query.pass);
  const std::int64_t function = softmax ? kPlaces.softmax_function.of(problem) : -1;
  for (int choice = 1; choice < kSoftmaxFunctions; ++choice) {
    sink.add("softmax_function_", choice, "flag", flag(function == choice));
  }
}

// Batch, instance and group norms reduce over other axes and have kernels of their own.
bool covers(const Problem& problem) {
  static const LayerKind* const kSoftmax = find_layer_kind("softmax");
  static const LayerKind* const kNorm = find_layer_kind("norm");
  static const LayerKind* const kDecomposedNorm = find_layer_kind("decomposed_norm");
  static const ParameterPlace kFunction("norm", "function");
  if (problem.kind == kSoftmax || problem.kind == kDecomposedNorm) return true;
  if (problem.kind != kNorm) return false;
  const std::string_view function =
      kNorm->parameters.front().choices[static_cast<std::size_t>(kFunction.of(problem))];
  return function == "layer" || function == "rms";
}

}  // namespace

const FeatureFamily& feature_family_rowwise() {
  static const FeatureFamily kFamily =
      make_family("rowwise", "softmax", kTerms, covers, [](auto&&... args) { write_features(args...); });
  return kFamily;
}

}  // namespace layersim
