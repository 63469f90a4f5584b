#include "sim/methods/common/step_features.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/core/error.h"
#include "sim/features/network_queries.h"
#include "sim/features/roofline_time.h"
#include "sim/methods/common/sustained_rates.h"
#include "sim/methods/common/tile_fill.h"
#include "sim/predictors/step_parts.h"
#include "sim/timing/host_work.h"

namespace layersim {
namespace {

constexpr double kGiga = 1e9;
constexpr double kMega = 1e6;
constexpr double kPerMs = 1e6;  // 1 GFLOP/s or GB/s in FLOP or bytes per ms

// Of convolutions those of 3x3 and stride 1 stand alone: libraries compute them with less arithmetic
// (Winograd).
enum Group : std::size_t { kWinograd, kConv, kGrouped, kProduct, kOther, kGroups };

bool is_winograd(const Problem& conv) {
  return conv.size("kernel_d") == 1 && conv.size("kernel_h") == 3 && conv.size("kernel_w") == 3 &&
         conv.size("stride_h") == 1 && conv.size("stride_w") == 1;
}

Group group_of(const LayerQuery& query) {
  const Problem& problem = *query.problem;
  if (problem.kind == nullptr) return kOther;
  const std::string_view kind = problem.kind->name;
  if (kind != "conv" && kind != "conv_transpose") return query.work->forward.macs > 0 ? kProduct : kOther;
  if (problem.size("groups") > 1) return kGrouped;
  return kind == "conv" && is_winograd(problem) ? kWinograd : kConv;
}

// A pass of a convolution in whole tiles, or the memory traffic where that takes longer.
double time_in_tiles_ms(const LayerQuery& query, const LayerPass& pass, const Conditions& conditions) {
  const Device& device = *conditions.device;
  const Problem& problem = *query.problem;
  const double fill =
      problem.kind->name == "conv" ? tile_fill(problem, pass.pass, device.multiprocessors) : 1;
  const double gflops = matrix_peak(device, problem.dtype, conditions.precision).gflops;
  return std::max(pass.work->flop / fill / (gflops * kPerMs),
                  pass.work->bytes() / (device.memory_bandwidth_gb_s * kPerMs));
}

// GB/s to other devices and, of PCIe, from the host, one way: a lane of generation 1 carries 0.25 GB/s, each
// generation twice as much.
double link_gb_s(const Device& device) {
  if (device.nvlink_gb_s > 0) return device.nvlink_gb_s / 2;
  if (device.pcie_generation <= 0) return 0;
  return 0.25 * std::pow(2, device.pcie_generation - 1) * device.pcie_lanes;
}

// Of a convolution without groups.
double weights_of(const Problem& conv) {
  double weights = 1;
  for (const char* size : {"kernel_d", "kernel_h", "kernel_w", "in_channels", "out_channels"})
    weights *= static_cast<double>(conv.size(size));
  return weights;
}

// Over all passes of the layers of a group.
struct GroupSums {
  double flop = 0;
  double bytes = 0;
  double values = 0;  // read and written, whatever their size
  double roofline_ms = 0;
  double tiled_ms = 0;  // of convolutions
  double weights = 0;   // of convolutions without groups, in each pass

  void add(const LayerQuery& query, Group group, const Conditions& conditions, double repeats) {
    for (const LayerPass& pass : layer_passes(query, conditions.mode)) {
      flop += pass.work->flop * repeats;
      bytes += pass.work->bytes() * repeats;
      values += pass.work->bytes() / layersim::bytes(query.problem->dtype) * repeats;
      if (group <= kGrouped) tiled_ms += time_in_tiles_ms(query, pass, conditions) * repeats;
      if (group <= kConv) weights += weights_of(*query.problem) * repeats;
    }
  }
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

void check_has_layers(const Network& network) {
  if (network.layers.empty()) throw Error(ErrorKind::nothing_predicted, "the network has no layers");
}

std::vector<std::string> network_warnings(const Network& network) {
  std::vector<std::string> lines = network.warnings.all();
  if (std::string unmodelled = unmodelled_warning(network); !unmodelled.empty())
    lines.push_back(std::move(unmodelled));
  return lines;
}

std::vector<NamedNumber> step_features(const Network& network, const Conditions& sheet) {
  const Device device = sustained_device(*sheet.device);
  Conditions conditions = sheet;
  conditions.device = &device;
  const std::vector<LayerQuery> queries = make_queries(network);
  std::array<GroupSums, kGroups> sums;
  std::vector<double> repeats;
  double layers = 0;
  double update_ms = 0;
  double update_bytes = 0;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    repeats.push_back(network.repeats(network.layers[i]));
    const Group group = group_of(queries[i]);
    sums[group].add(queries[i], group, conditions, repeats[i]);
    const RooflineTime time = roofline_time(queries[i], conditions);
    sums[group].roofline_ms += (time.total_ms() - time.optimizer_ms) * repeats[i];
    update_ms += time.optimizer_ms;
    update_bytes += optimizer_work(queries[i], conditions).bytes();
    layers += repeats[i];
  }
  const HostWork host = StepHostWork(network, queries, conditions).total(repeats);
  const auto& [winograd, conv, grouped, product, other] = sums;
  const double conv_ms = winograd.roofline_ms + conv.roofline_ms;
  return {
      {"layers", layers},
      {"kernels", host.kernels},
      {"weight_tensors", host.update_kernels},
      {"params_m", network.params / kMega},
      {"input_mb", host.input_bytes / kMega},
      {"conv_gflop", (winograd.flop + conv.flop + grouped.flop) / kGiga},
      {"product_gflop", product.flop / kGiga},
      {"conv_weights_m", (winograd.weights + conv.weights) / kMega},
      {"conv_gb", (winograd.bytes + conv.bytes + grouped.bytes) / kGiga},
      {"conv_gvalues", (winograd.values + conv.values + grouped.values) / kGiga},
      {"grouped_gb", grouped.bytes / kGiga},
      {"update_gb", update_bytes / kGiga},
      {"other_gb", other.bytes / kGiga},
      {"other_gvalues", other.values / kGiga},
      {"conv_roofline_ms", conv_ms},
      {"grouped_roofline_ms", grouped.roofline_ms},
      {"product_roofline_ms", product.roofline_ms},
      {"other_roofline_ms", other.roofline_ms},
      {"update_roofline_ms", update_ms},
      {"winograd_tiled_ms", winograd.tiled_ms},
      {"conv_tiled_ms", conv.tiled_ms},
      {"grouped_tiled_ms", grouped.tiled_ms},
      {"roofline_ms", conv_ms + grouped.roofline_ms + product.roofline_ms + other.roofline_ms + update_ms}};
}

std::vector<NamedNumber> sheet_features(const Conditions& conditions) {
  const Device device = sustained_device(*conditions.device);
  const Peak peak = matrix_peak(device, compute_dtype(conditions.precision), conditions.precision);
  return {{"sustained_tflops", peak.gflops / 1e3},
          {"issue_ginstr_s", issue_rate_ginstr_s(*conditions.device)},
          {"bandwidth_gb_s", device.memory_bandwidth_gb_s},
          {"link_gb_s", link_gb_s(device)},
          {"multiprocessors", device.multiprocessors},
          {"clock_ghz", device.clock_peak_mhz / 1e3}};
}

}  // namespace layersim
