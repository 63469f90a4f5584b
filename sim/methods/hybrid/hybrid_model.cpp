#include "sim/methods/hybrid/hybrid_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "sim/features/network_queries.h"
#include "sim/features/roofline_time.h"
#include "sim/methods/common/log_interval.h"
#include "sim/methods/common/step_features.h"
#include "sim/timing/host_work.h"

namespace layersim {
namespace {

// Layers that are summed together; "other" are all that are none of these, and none is a convolution.
constexpr std::array<std::string_view, 7> kGroups{"dense",       "norm",      "activation", "pool",
                                                  "elementwise", "recurrent", "other"};
constexpr const char* kModeFeature = "training";
constexpr double kMega = 1e6;
constexpr double kPerMs = 1e6;       // 1 GFLOP/s or GB/s in FLOP or bytes per ms
constexpr double kLaunchMs = 0.004;  // of a kernel; a step without other layers has one all the same

std::size_t group_of(const LayerQuery& query) {
  const std::string_view kind = query.problem->kind == nullptr ? "" : query.problem->kind->name;
  const std::string_view group = kind == "matmul" || kind == "attention" ? "dense" : kind;
  const auto* found = std::find(kGroups.begin(), kGroups.end() - 1, group);
  return static_cast<std::size_t>(found - kGroups.begin());
}

bool is_conv(const LayerQuery& query) {
  return query.problem->kind != nullptr && query.problem->kind->name == "conv";
}

struct RestSums {
  std::array<double, kGroups.size()> bytes{};
  double update_bytes = 0;
  double flop = 0;       // of products
  double pool_flop = 0;  // of pooling: a window costs more than the bytes that it reads once
  double layers = 0;
  double convolutions = 0;
};

RestSums sum_rest(const Network& network, const std::vector<LayerQuery>& queries,
                  const Conditions& conditions) {
  RestSums sums;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const double repeats = network.repeats(network.layers[i]);
    sums.update_bytes += optimizer_work(queries[i], conditions).bytes();
    if (is_conv(queries[i])) {
      sums.convolutions += repeats;
      continue;
    }
    sums.layers += repeats;
    const bool is_pool = kGroups[group_of(queries[i])] == "pool";
    for (const LayerPass& pass : layer_passes(queries[i], conditions.mode)) {
      sums.bytes[group_of(queries[i])] += repeats * pass.work->bytes();
      if (pass.work->macs > 0) sums.flop += repeats * pass.work->flop;
      if (is_pool) sums.pool_flop += repeats * pass.work->flop;
    }
  }
  return sums;
}

float log_of(double value) { return static_cast<float>(std::log1p(std::max(value, 0.0))); }

}  // namespace

std::vector<std::string> rest_part_names() {
  std::vector<std::string> names(kGroups.begin(), kGroups.end());
  names.insert(names.end(), {"products", "windows", "update", "launches"});
  return names;
}

std::vector<std::string> rest_feature_names() {
  std::vector<std::string> names;
  names.reserve(kGroups.size());
  for (const std::string_view group : kGroups) names.push_back("log_" + std::string(group) + "_mb");
  for (const char* name : {"log_product_mflop", "log_layers", "log_convolutions", "log_kernels",
                           "log_params_m", "log_input_mb", "log_base_us", "conv_over_base", kModeFeature,
                           "log_peak_gflops", "log_bandwidth_gb_s", "multiprocessors"})
    names.emplace_back(name);
  return names;
}

StepRest step_rest(const Network& network, const Conditions& conditions, double conv_ms) {
  const std::vector<LayerQuery> queries = make_queries(network);
  const RestSums sums = sum_rest(network, queries, conditions);
  std::vector<double> repeats;
  for (const Layer& layer : network.layers) repeats.push_back(network.repeats(layer));
  const HostWork host = StepHostWork(network, queries, conditions).total(repeats);
  StepRest rest;
  const Device& device = *conditions.device;
  const double gflops = matrix_peak(device, compute_dtype(conditions.precision), conditions.precision).gflops;
  const double bytes_per_ms = kPerMs * device.memory_bandwidth_gb_s;
  for (const double bytes : sums.bytes) rest.part_ms.push_back(bytes / bytes_per_ms);
  rest.part_ms.insert(rest.part_ms.end(),
                      {sums.flop / (kPerMs * gflops), sums.pool_flop / (kPerMs * gflops),
                       sums.update_bytes / bytes_per_ms, kLaunchMs * std::max(host.kernels, 1.0)});
  const double sheet_ms = std::accumulate(rest.part_ms.begin(), rest.part_ms.end(), 0.0);
  for (const double bytes : sums.bytes) rest.features.push_back(log_of(bytes / kMega));
  for (const float value :
       {log_of(sums.flop / kMega), log_of(sums.layers), log_of(sums.convolutions), log_of(host.kernels),
        log_of(network.params / kMega), log_of(host.input_bytes / kMega), log_of(1e3 * sheet_ms),
        log_of(conv_ms / sheet_ms), conditions.mode == Mode::training ? 1.0F : 0.0F, log_of(gflops),
        log_of(device.memory_bandwidth_gb_s), static_cast<float>(device.multiprocessors)})
    rest.features.push_back(value);
  return rest;
}

bool HybridModel::tells_modes() const {
  const std::vector<std::string> names = rest_feature_names();
  return trees.reads(
      static_cast<std::int32_t>(std::find(names.begin(), names.end(), kModeFeature) - names.begin()));
}

double HybridModel::base_ms(const StepRest& rest) const {
  return std::max(std::inner_product(factors.begin(), factors.end(), rest.part_ms.begin(), 0.0), kLaunchMs);
}

double HybridModel::predict_ms(double conv_ms, const StepRest& rest) const {
  return conv_ms + base_ms(rest) * std::exp(trees.predict(rest.features));
}

Interval HybridModel::interval_ms(double predicted_ms, const std::string& network,
                                  const std::string& gpu) const {
  double width = half_width;
  if (networks.size() == 1 && networks.front() != network) width = unseen_half_width(width, 0);
  if (std::find(gpus.begin(), gpus.end(), gpu) == gpus.end())
    width = unseen_half_width(width, new_gpu_half_width);
  return log_interval(predicted_ms, width);
}

}  // namespace layersim
