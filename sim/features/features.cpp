#include "sim/features/features.h"

#include <algorithm>

#include "sim/core/error.h"
#include "sim/features/condition_features.h"
#include "sim/features/feature_sink.h"
#include "sim/features/roofline_time.h"

namespace layersim {
namespace {

constexpr std::size_t kActivations = static_cast<std::size_t>(Activation::other) + 1;

std::span<const std::string_view> activation_names() {
  static const auto names = [] {
    std::array<std::string_view, kActivations> result;
    for (std::size_t i = 0; i < kActivations; ++i) result[i] = name(static_cast<Activation>(i));
    return result;
  }();
  return names;
}

std::optional<std::size_t> find_parameter(const LayerKind& kind, std::span<const std::string_view> names) {
  for (const std::string_view name : names) {
    for (std::size_t i = 0; i < kind.parameters.size(); ++i) {
      if (kind.parameters[i].name == name) return i;
    }
  }
  return std::nullopt;
}

template <typename Sink>
void add_parameters(Sink& sink, const Problem& problem) {
  const std::vector<Parameter>& parameters = problem.kind->parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& parameter = parameters[i];
    const auto size = static_cast<double>(problem.sizes[i]);
    if (!parameter.choices.empty()) {
      sink.one_hot(parameter.name, parameter.choices, static_cast<std::size_t>(problem.sizes[i]));
      continue;
    }
    sink.add(parameter.name, parameter.unit, size);
    if (parameter.unit != "flag") sink.add("log", parameter.name, parameter.unit, log_count(size));
  }
}

template <typename Sink>
void add_pass(Sink& sink, std::string_view pass, const PassWork& work, double roofline_ms) {
  sink.add("log_flop", pass, "FLOP", log_count(work.flop));
  sink.add("log_bytes_read", pass, "byte", log_count(work.bytes_read));
  sink.add("log_bytes_written", pass, "byte", log_count(work.bytes_written));
  sink.add("kernels", pass, "1", work.kernels);
  sink.add("log_roofline", pass, "ms", log_positive(roofline_ms));
}

// The matrix product m x k times k x n, `batches` times, that a layer amounts to.
struct Product {
  double m = 1;
  double n = 1;
  double k = 1;
  double batches = 1;
};

template <typename Sink>
void add_divisibility(Sink& sink, std::string_view size_name, double size) {
  const auto whole = static_cast<std::int64_t>(size);
  sink.add("divisible_by_4", size_name, "1", whole % 4 == 0 ? 1 : 0);
  sink.add("divisible_by_8", size_name, "1", whole % 8 == 0 ? 1 : 0);
  sink.add("divisible_by_32", size_name, "1", whole % 32 == 0 ? 1 : 0);
  sink.add("divisible_by_64", size_name, "1", whole % 64 == 0 ? 1 : 0);
}

// Libraries cut the output into square tiles, one a multiprocessor at a time; waves of tiles that leave
// places empty take as long as full ones.
template <typename Sink>
void add_tiles(Sink& sink, std::string_view tile_name, double tile, const Product& product,
               double multiprocessors) {
  const double rows = std::ceil(product.m / tile);
  const double columns = std::ceil(product.n / tile);
  const double tiles = std::max(rows * columns * product.batches, 1.0);
  const double waves = tiles / std::max(multiprocessors, 1.0);
  sink.add("log_tiles", tile_name, "tile", log_count(tiles));
  sink.add("log_waves", tile_name, "wave", log_positive(waves));
  sink.add("wave_fill", tile_name, "1", waves / std::ceil(waves));
  sink.add("tile_fill", tile_name, "1", product.m * product.n / std::max(rows * columns * tile * tile, 1.0));
}

template <typename Sink>
void add_layer_features(Sink& sink, const LayerQuery& query, const Conditions& conditions,
                        const ProductSizes& sizes) {
  const Problem& problem = *query.problem;
  const LayerWork& work = *query.work;
  add_parameters(sink, problem);
  sink.one_hot("activation", activation_names(), static_cast<std::size_t>(problem.activation));
  const double element_bytes = bytes(problem.dtype);
  sink.add("element_bytes", "byte", element_bytes);
  sink.add("weight_element_bytes", "byte", bytes(problem.weight_dtype));
  sink.add("needs_input_gradient", "1", query.needs_input_gradient ? 1 : 0);
  sink.add("needs_weight_gradient", "1", query.needs_weight_gradient ? 1 : 0);
  sink.add("log_learned_elements", "element", log_count(query.learned_elements));
  sink.add("log_weight_bytes", "byte", log_count(work.weight_elements * bytes(problem.weight_dtype)));
  sink.add("log_macs", "MAC", log_count(work.forward.macs));

  const RooflineTime roofline = roofline_time(query, conditions);
  add_pass(sink, "forward", work.forward, roofline.forward_ms);
  add_pass(sink, "backward_data", work.backward_data, roofline.backward_data_ms);
  add_pass(sink, "backward_weight", work.backward_weight, roofline.backward_weight_ms);
  add_pass(sink, "optimizer", optimizer_work(query, conditions), roofline.optimizer_ms);
  sink.add("log_roofline_total", "ms", log_positive(roofline.total_ms()));
  const double intensity = work.forward.flop / std::max(work.forward.bytes(), 1.0);
  sink.add("log_intensity", "FLOP/byte", log_positive(intensity));

  const double outputs = element_bytes > 0 ? work.forward.bytes_written / element_bytes : 0;
  Product product;
  product.batches = sizes.batches ? static_cast<double>(problem.sizes[*sizes.batches]) : 1;
  const double all_columns = sizes.columns ? static_cast<double>(problem.sizes[*sizes.columns]) : 1;
  product.n = sizes.groups_share_columns ? all_columns / std::max(product.batches, 1.0) : all_columns;
  product.m = outputs / std::max(product.n * product.batches, 1.0);
  product.k = work.forward.macs / std::max(outputs, 1.0);
  sink.add("log_product_rows", "element", log_count(product.m));
  sink.add("log_product_columns", "element", log_count(product.n));
  sink.add("log_product_contracted", "element", log_count(product.k));
  add_divisibility(sink, "product_rows", product.m);
  add_divisibility(sink, "product_columns", product.n);
  add_divisibility(sink, "product_contracted", product.k);
  add_tiles(sink, "128", 128, product, conditions.device->multiprocessors);
  add_tiles(sink, "64", 64, product, conditions.device->multiprocessors);
  sink.add("log_outputs_per_lane", "1", log_positive(outputs / std::max(conditions.device->cores, 1.0)));
}

ProductSizes product_sizes(const LayerKind& kind) {
  constexpr std::array<std::string_view, 4> kColumns{"out_channels", "out_features", "n", "hidden"};
  constexpr std::array<std::string_view, 1> kGroups{"groups"};
  constexpr std::array<std::string_view, 1> kBatch{"batch"};
  constexpr std::array<std::string_view, 1> kRows{"m"};
  ProductSizes sizes;
  sizes.columns = find_parameter(kind, kColumns);
  sizes.batches = find_parameter(kind, kGroups);
  sizes.groups_share_columns = sizes.batches.has_value();
  // A batched product names all of its sizes; elsewhere the batch is part of the rows.
  if (!sizes.batches && find_parameter(kind, kRows)) sizes.batches = find_parameter(kind, kBatch);
  return sizes;
}

}  // namespace

FeatureColumns::FeatureColumns(const LayerKind& kind) : kind_(kind) {
  const Device device;
  Conditions conditions;
  conditions.device = &device;
  Problem problem;
  problem.kind = &kind;
  problem.sizes.assign(kind.parameters.size(), 1);
  const LayerWork work;
  NameSink sink(all_);
  add_layer_features(sink, {.problem = &problem, .work = &work}, conditions, product_sizes(kind));
  add_condition_features(sink, conditions);
}

std::optional<std::size_t> FeatureColumns::index(std::string_view name) const {
  const auto found =
      std::find_if(all_.begin(), all_.end(), [&](const Feature& feature) { return feature.name == name; });
  if (found == all_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - all_.begin());
}

FeatureWriter::FeatureWriter(const FeatureColumns& columns, const Conditions& conditions)
    : size_(columns.size()), conditions_(conditions), product_sizes_(product_sizes(columns.kind())) {
  condition_part_.resize(size_);
  ValueSink sink(condition_part_.data());
  add_condition_features(sink, conditions);
  condition_part_.resize(static_cast<std::size_t>(sink.at() - condition_part_.data()));
}

void FeatureWriter::write(const LayerQuery& query, std::span<float> row) const {
  if (row.size() != size_) throw internal_error("a feature row has the wrong length");
  ValueSink sink(row.data());
  add_layer_features(sink, query, conditions_, product_sizes_);
  std::copy(condition_part_.begin(), condition_part_.end(), sink.at());
}

}  // namespace layersim
