#include "sim/methods/common/step_features.h"

#include <algorithm>
#include <cmath>

#include "sim/features/network_queries.h"
#include "sim/features/roofline_time.h"
#include "sim/predictors/step_parts.h"
#include "sim/timing/host_work.h"

namespace layersim {
namespace {

constexpr double kGiga = 1e9;
constexpr double kMega = 1e6;

enum class Group : unsigned char { conv, grouped_conv, product, other };

Group group_of(const LayerQuery& query) {
  if (query.problem->kind == nullptr) return Group::other;
  const std::string_view kind = query.problem->kind->name;
  if (kind == "conv" || kind == "conv_transpose")
    return query.problem->size("groups") > 1 ? Group::grouped_conv : Group::conv;
  return query.work->forward.macs > 0 ? Group::product : Group::other;
}

// GB/s to other devices and, of PCIe, from the host, one way: a lane of generation 1 carries 0.25 GB/s, each
// generation twice as much.
double link_gb_s(const Device& device) {
  if (device.nvlink_gb_s > 0) return device.nvlink_gb_s / 2;
  if (device.pcie_generation <= 0) return 0;
  return 0.25 * std::pow(2, device.pcie_generation - 1) * device.pcie_lanes;
}

struct GroupSums {
  double flop = 0;
  double bytes = 0;
  double roofline_ms = 0;
};

}  // namespace

std::vector<LayerPass> layer_passes(const LayerQuery& query, Mode mode) {
  std::vector<LayerPass> passes{{Pass::forward, &query.work->forward}};
  if (mode != Mode::training) return passes;
  const bool modelled = query.problem->kind != nullptr;
  if (query.needs_input_gradient)
    passes.push_back({Pass::backward_data, modelled ? &query.work->backward_data : &query.work->forward});
  if (query.needs_weight_gradient) passes.push_back({Pass::backward_weight, &query.work->backward_weight});
  return passes;
}

std::vector<NamedNumber> step_features(const Network& network, const Conditions& conditions) {
  const std::vector<LayerQuery> queries = make_queries(network);
  GroupSums sums[4];
  std::vector<double> repeats;
  double layers = 0;
  double update_ms = 0;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    repeats.push_back(network.repeats(network.layers[i]));
    GroupSums& sum = sums[static_cast<int>(group_of(queries[i]))];
    for (const LayerPass& pass : layer_passes(queries[i], conditions.mode)) {
      sum.flop += pass.work->flop * repeats[i];
      sum.bytes += pass.work->bytes() * repeats[i];
    }
    const RooflineTime time = roofline_time(queries[i], conditions);
    sum.roofline_ms += (time.total_ms() - time.optimizer_ms) * repeats[i];
    update_ms += time.optimizer_ms;
    layers += repeats[i];
  }
  const HostWork host = StepHostWork(network, queries, conditions).total(repeats);
  const auto& [conv, grouped, product, other] = sums;
  return {{"layers", layers},
          {"kernels", host.kernels},
          {"weight_tensors", host.update_kernels},
          {"params_m", network.params / kMega},
          {"input_mb", host.input_bytes / kMega},
          {"conv_gflop", (conv.flop + grouped.flop) / kGiga},
          {"product_gflop", product.flop / kGiga},
          {"conv_gb", (conv.bytes + grouped.bytes) / kGiga},
          {"other_gb", other.bytes / kGiga},
          {"conv_roofline_ms", conv.roofline_ms},
          {"grouped_roofline_ms", grouped.roofline_ms},
          {"product_roofline_ms", product.roofline_ms},
          {"other_roofline_ms", other.roofline_ms},
          {"update_roofline_ms", update_ms},
          {"roofline_ms",
           conv.roofline_ms + grouped.roofline_ms + product.roofline_ms + other.roofline_ms + update_ms}};
}

std::vector<NamedNumber> sheet_features(const Conditions& conditions) {
  const Device& device = *conditions.device;
  const Peak peak = matrix_peak(device, compute_dtype(conditions.precision), conditions.precision);
  return {{"peak_tflops", peak.gflops / 1e3},
          {"bandwidth_gb_s", device.memory_bandwidth_gb_s},
          {"link_gb_s", link_gb_s(device)},
          {"multiprocessors", device.multiprocessors},
          {"clock_ghz", device.clock_peak_mhz / 1e3}};
}

}  // namespace layersim
