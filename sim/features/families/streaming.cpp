// Layers that stream tensors through the device: everything but convolutions, products and recurrent layers.
// Their time is memory traffic, with a launch, some arithmetic and, for reductions, rows that must fill the
// device. It stands for parts of a whole network's step (sim/predictors/step_parts.h), and for single layers
// that the narrower families elementwise and rowwise do not cover.

#include <algorithm>
#include <array>

#include "sim/features/families/make_family.h"
#include "sim/features/families/problem_sizes.h"

namespace layersim {
namespace {

constexpr std::array<std::string_view, 4> kTerms{"launch", "memory", "arithmetic", "rows"};

constexpr double kLeastMs = 1e-5;  // of an update, for its logarithm

// What tells one stream from another: kinds, and functions of a kind that have kernels of their own.
enum Stream : int {
  kMaxPool,
  kOtherPool,
  kBatchNorm,
  kLayerNorm,
  kOtherNorm,
  kActivation,
  kAdd,
  kMultiply,
  kDivide,
  kPower,
  kTranscendental,
  kCompare,
  kSelect,
  kCast,
  kDropout,
  kRotary,
  kSoftmax,
  kEmbedding,
  kConcat,
  kTranspose,
  kPad,
  kSlice,
  kSplit,
  kGather,
  kScatter,
  kExpand,
  kFill,
  kResize,
  kReduce,
  kStreams
};

constexpr std::array<std::string_view, kStreams> kStreamNames{
    "max_pool", "other_pool", "batch_norm", "layer_norm", "other_norm",     "activation",
    "add",      "multiply",   "divide",     "power",      "transcendental", "compare",
    "select",   "cast",       "dropout",    "rotary",     "softmax",        "embedding",
    "concat",   "transpose",  "pad",        "slice",      "split",          "gather",
    "scatter",  "expand",     "fill",       "resize",     "reduce"};

// What the features need of a problem; rows, cols and window are 0 where the kind has none.
struct StreamSizes {
  int stream = -1;
  std::int64_t rows = 0, cols = 0, window = 0, stride = 0, operands = 0;
  std::int64_t in_w = 0, padding = 0;  // of a pool
  bool scalar_operand = false;
  bool extreme = false;  // a reduction to the largest or smallest
};

StreamSizes stream_sizes(const Problem& p) {
  struct Kinds {
    const LayerKind* pool = find_layer_kind("pool");
    const LayerKind* norm = find_layer_kind("norm");
    const LayerKind* decomposed_norm = find_layer_kind("decomposed_norm");
    const LayerKind* activation = find_layer_kind("activation");
    const LayerKind* elementwise = find_layer_kind("elementwise");
    const LayerKind* softmax = find_layer_kind("softmax");
    const LayerKind* embedding = find_layer_kind("embedding");
    const LayerKind* concat = find_layer_kind("concat");
    const LayerKind* data_movement = find_layer_kind("data_movement");
    const LayerKind* resize = find_layer_kind("resize");
    const LayerKind* reduce = find_layer_kind("reduce");
  };
  struct Places {
    ParameterPlace pool_function{"pool", "function"}, kernel_h{"pool", "kernel_h"},
        kernel_w{"pool", "kernel_w"}, stride_w{"pool", "stride_w"}, in_w{"pool", "in_w"},
        pad_begin_w{"pool", "pad_begin_w"}, norm_function{"norm", "function"}, norm_rows{"norm", "rows"},
        norm_cols{"norm", "cols"}, elementwise_function{"elementwise", "function"},
        elements{"elementwise", "elements"}, operand_elements{"elementwise", "operand_elements"},
        operands{"elementwise", "operands"}, softmax_rows{"softmax", "rows"}, softmax_cols{"softmax", "cols"},
        embedding_rows{"embedding", "lookups"}, embedding_cols{"embedding", "width"},
        concat_operands{"concat", "operands"}, movement_function{"data_movement", "function"},
        reduce_rows{"reduce", "rows"}, reduce_cols{"reduce", "cols"}, reduce_function{"reduce", "function"};
  };
  static const Kinds kKinds;
  static const Places kPlaces;
  StreamSizes s;
  if (p.kind == kKinds.pool) {
    s.stream = kPlaces.pool_function.of(p) == 0 ? kMaxPool : kOtherPool;
    s.window = kPlaces.kernel_h.of(p) * kPlaces.kernel_w.of(p);
    s.stride = kPlaces.stride_w.of(p);
    s.in_w = kPlaces.in_w.of(p);
    s.padding = kPlaces.pad_begin_w.of(p);
  } else if (p.kind == kKinds.norm || p.kind == kKinds.decomposed_norm) {
    const auto function = p.kind == kKinds.norm ? kPlaces.norm_function.of(p) : 2;
    s.stream = function == 0 ? kBatchNorm : function == 2 ? kLayerNorm : kOtherNorm;
    s.rows = kPlaces.norm_rows.of(p);
    s.cols = kPlaces.norm_cols.of(p);
  } else if (p.kind == kKinds.activation) {
    s.stream = kActivation;
  } else if (p.kind == kKinds.elementwise) {
    s.stream = kAdd + static_cast<int>(kPlaces.elementwise_function.of(p));
    s.operands = kPlaces.operands.of(p);
    s.scalar_operand = s.operands > 1 && kPlaces.operand_elements.of(p) <= kPlaces.elements.of(p) + 1;
  } else if (p.kind == kKinds.softmax) {
    s.stream = kSoftmax;
    s.rows = kPlaces.softmax_rows.of(p);
    s.cols = kPlaces.softmax_cols.of(p);
  } else if (p.kind == kKinds.embedding) {
    s.stream = kEmbedding;
    s.rows = kPlaces.embedding_rows.of(p);
    s.cols = kPlaces.embedding_cols.of(p);
  } else if (p.kind == kKinds.concat) {
    s.stream = kConcat;
    s.operands = kPlaces.concat_operands.of(p);
  } else if (p.kind == kKinds.data_movement) {
    s.stream = kTranspose + static_cast<int>(kPlaces.movement_function.of(p));
  } else if (p.kind == kKinds.resize) {
    s.stream = kResize;
  } else if (p.kind == kKinds.reduce) {
    s.stream = kReduce;
    s.rows = kPlaces.reduce_rows.of(p);
    s.cols = kPlaces.reduce_cols.of(p);
    s.extreme = kPlaces.reduce_function.of(p) == 1;
  }
  return s;
}

void add(PassWork& sum, const PassWork& part) {
  sum.flop += part.flop;
  sum.bytes_read += part.bytes_read;
  sum.bytes_written += part.bytes_written;
}

// The pass's own work; a backward pass is both gradients together, training all three.
PassWork pass_work(const FeatureQuery& query) {
  const LayerWork& work = *query.layer.work;
  if (query.pass == Pass::forward) return work.forward;
  PassWork pass = work.backward_data;
  if (query.pass == Pass::backward || query.pass == Pass::training) add(pass, work.backward_weight);
  // An operator without a model: as much backward as forward.
  if (query.pass == Pass::backward && query.layer.problem->kind == nullptr) pass = work.forward;
  if (query.pass == Pass::training) add(pass, work.forward);
  return pass;
}

template <typename Sink>
void write_features(Sink& sink, const FeatureQuery& query, const DeviceNumbers& device, float* log_terms) {
  const Problem& problem = *query.layer.problem;
  const StreamSizes s = stream_sizes(problem);
  const PassWork pass = pass_work(query);
  const double memory_ms = pass.bytes() / device.bytes_per_ms;
  const double arithmetic_ms = pass.flop / device.vector_flop_per_ms;
  const double rows = static_cast<double>(std::max<std::int64_t>(s.rows, 1));
  const double cols = static_cast<double>(std::max<std::int64_t>(s.cols, 1));
  const std::array<double, kTerms.size()> terms{0.02, memory_ms, arithmetic_ms,
                                                s.rows > 0 ? rows / device.multiprocessors * 1e-4 : 0};
  write_log_terms(terms, log_terms);

  sink.add("log_bytes_read", "byte", safe_log(pass.bytes_read + 1));
  sink.add("log_bytes_written", "byte", safe_log(pass.bytes_written + 1));
  sink.add("log_memory_time", "ms", safe_log(memory_ms + 1e-6));
  sink.add("log_flop_per_byte", "FLOP/byte", limited(safe_log(pass.flop / (pass.bytes() + 1)), -4, 4));
  sink.add("log_written_share", "1", limited(safe_log(pass.bytes_written / (pass.bytes_read + 1)), -4, 4));
  sink.add("log_element_bytes", "byte", safe_log(bytes(problem.dtype)));
  sink.add("is_backward", "flag", flag(query.pass == Pass::backward));
  sink.add("follows_product", "flag", flag(query.follows_product));
  sink.add("relu", "flag", flag(problem.activation == Activation::relu));
  sink.add("other_activation", "flag",
           flag(problem.activation != Activation::relu && problem.activation != Activation::none));
  sink.add("log_rows", "1", safe_log(rows));
  sink.add("log_cols", "1", safe_log(cols));
  sink.add("log_window", "element", safe_log(static_cast<double>(std::max<std::int64_t>(s.window, 1))));
  sink.add("stride", "1", static_cast<float>(std::min<std::int64_t>(s.stride, 4)));
  sink.add("operands", "1", static_cast<float>(std::min<std::int64_t>(s.operands, 8)));
  sink.add("scalar_operand", "flag", flag(s.scalar_operand));
  for (int stream = 0; stream < kStreams; ++stream) {
    sink.add(kStreamNames[static_cast<std::size_t>(stream)], "flag", flag(s.stream == stream));
  }
  sink.add("log_bytes_to_l2", "1", limited(safe_log(pass.bytes() / device.l2_bytes), -6, 6));
  const double threads = pass.bytes_written / std::max(bytes(problem.dtype), 1.0);
  sink.add("log_waves", "1", limited(safe_log(threads / (1024 * device.multiprocessors)), -5, 8));
  sink.add("log_waves_of_rows", "1",
           s.rows > 0 ? limited(safe_log(rows / device.multiprocessors), -5, 8) : 0);
  sink.add("is_training", "flag", flag(query.pass == Pass::training));
  sink.add("log_update_time", "ms", limited(safe_log(update_ms(query, device) + kLeastMs), -12, 12));
  sink.add("log_learned_elements", "element",
           query.pass == Pass::training ? safe_log(query.layer.learned_elements + 1) : 0);
  sink.add("reduces_to_extreme", "flag", flag(s.extreme));
  sink.add("log_pool_in_w", "1", safe_log(static_cast<double>(std::max<std::int64_t>(s.in_w, 1))));
  sink.add("pools_whole_image", "flag", flag(s.in_w > 0 && s.window == s.in_w * s.in_w));
  sink.add("padded", "flag", flag(s.padding > 0));
}

bool covers(const Problem& problem) { return stream_sizes(problem).stream >= 0; }

}  // namespace

const FeatureFamily& feature_family_streaming() {
  static const FeatureFamily kFamily =
      make_family("streaming", "softmax", kTerms, covers, [](auto&&... args) { write_features(args...); });
  return kFamily;
}

}  // namespace layersim
