// JSON as scripts read it: keys are stable, shares are fractions, numbers that are not known are null.

#include "sim/core/json.h"

#include <algorithm>
#include <cmath>

#include "sim/report/fused_row.h"
#include "sim/report/price_report.h"
#include "sim/report/report.h"

namespace layersim {
namespace {

constexpr int kSchemaVersion = 1;

// Counts are held as doubles; those that are whole and exact are written as integers.
Json count(double number) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (number == std::floor(number) && std::fabs(number) <= kExact) return static_cast<std::int64_t>(number);
  return number;
}

Json shape_or_null(const std::optional<Shape>& shape) {
  if (!shape) return nullptr;
  Json sizes = Json::array();
  for (const std::int64_t size : *shape) sizes.push_back(size < 0 ? Json(nullptr) : Json(size));
  return sizes;
}

Json tensors(const std::vector<TensorReport>& reports) {
  Json list = Json::array();
  for (const TensorReport& tensor : reports)
    list.push_back({{"name", tensor.name}, {"shape", shape_or_null(tensor.shape)}});
  return list;
}

Json layer(const LayerReport& report, std::size_t index, const RunReport* run) {
  Json json;
  json["index"] = index;
  json["name"] = report.name;
  json["kind"] = report.kind.empty() ? Json(nullptr) : Json(report.kind);
  json["op"] = report.op;
  json["output_shape"] = shape_or_null(report.output_shape);
  json["params"] = count(report.params);
  json["weight_bytes"] = count(report.weight_bytes);
  json["repeats"] = count(report.repeats);
  json["macs"] = count(report.macs);
  json["flop"] = count(report.flop);
  json["bytes"] = count(report.bytes);
  if (!report.parameters.empty()) {
    Json& parameters = json["parameters"] = Json::object();
    for (const auto& [name, size] : report.parameters) parameters[std::string(name)] = size;
  }
  if (!report.activation.empty()) json["activation"] = report.activation;
  if (!report.unmodelled_reason.empty()) json["unmodelled_reason"] = report.unmodelled_reason;
  if (run == nullptr) return json;
  json["forward_ms"] = report.time.forward_ms;
  json["backward_ms"] = report.time.backward_ms;
  json["optimizer_ms"] = report.time.optimizer_ms;
  json["low_ms"] = report.time.interval_ms ? Json(report.time.interval_ms->low) : Json(nullptr);
  json["high_ms"] = report.time.interval_ms ? Json(report.time.interval_ms->high) : Json(nullptr);
  json["inside_trained_range"] = report.time.inside_trained_range;
  json["basis"] = name(report.time.basis);
  json["bound_by"] = report.bound_by.empty() ? Json(nullptr) : Json(report.bound_by);
  if (report.before_ms) json["before_ms"] = *report.before_ms;
  return json;
}

Json memory(const MemoryReport& report) {
  return {{"weights", report.weights_mib},     {"gradients", report.gradients_mib},
          {"optimizer", report.optimizer_mib}, {"activations", report.activations_mib},
          {"workspace", report.workspace_mib}, {"context", report.context_mib},
          {"total", report.total_mib()}};
}

Json parallel(const RunReport& run) {
  if (!run.parallel) return nullptr;
  const ParallelReport& report = *run.parallel;
  return {{"kind", report.kind},
          {"interconnect", report.interconnect},
          {"nodes", report.nodes},
          {"micro_batches", report.micro_batches},
          {"device_batch", report.device_batch},
          {"interconnect_busy_ms", report.interconnect_busy_ms}};
}

void add_run(Json& json, const RunReport& run, std::int64_t batch) {
  json["gpu"] = run.gpu;
  json["gpu_name"] = run.gpu_name;
  if (run.before) json["before"] = {{"gpu_name", run.before->gpu_name}, {"batch_ms", run.before->batch_ms}};
  json["batch"] = batch;
  json["mode"] = name(run.mode);
  json["optimizer"] = name(run.optimizer);
  json["precision"] = name(run.precision);
  json["stack"] = run.stack.empty() ? Json(nullptr) : Json(run.stack);
  json["n_gpus"] = run.n_gpus;
  json["method"] = run.method;
  json["method_statement"] = run.method_statement;
  json["batch_ms"] = run.batch_ms;
  json["batch_ms_low"] = run.batch_interval_ms ? Json(run.batch_interval_ms->low) : Json(nullptr);
  json["batch_ms_high"] = run.batch_interval_ms ? Json(run.batch_interval_ms->high) : Json(nullptr);
  json["forward_ms"] = run.forward_ms;
  json["backward_ms"] = run.backward_ms;
  json["optimizer_ms"] = run.optimizer_ms;
  json["overhead_ms"] = run.overhead_ms;
  json["input_wait_ms"] = run.input_wait_ms;
  json["communication_ms"] = run.communication_ms;
  json["bubble_ms"] = run.bubble_ms;
  json["parallel"] = parallel(run);
  json["epoch_s"] = run.epoch_s;
  json["dataset_size"] = run.dataset_size;
  json["validation_size"] = run.validation_size;
  json["validation_s"] = run.validation_s;
  json["epochs"] = run.epochs;
  json["total_s"] = run.total_s;
  json["cost_usd"] = run.price ? Json(run.cost_usd()) : Json(nullptr);
  json["price"] = price_json(run.price);
  json["memory_mib"] = memory(run.memory);
  json["memory_usable_mib"] = run.memory.usable_mib;
  json["fits"] = run.memory.fits;
  if (run.memory.max_batch) json["max_batch"] = *run.memory.max_batch;
}

Json unmodelled_operators(const std::vector<LayerReport>& layers) {
  Json list = Json::array();
  for (const LayerReport& report : layers) {
    if (report.kind.empty() && std::find(list.begin(), list.end(), report.op) == list.end())
      list.push_back(report.op);
  }
  return list;
}

void add_decomposition(Json& json, const Report& report) {
  const NetworkReport& network = report.network;
  json["batch"] = network.batch;
  json["params"] = count(network.params);
  if (network.macs_min == network.macs_max) {
    json["macs"] = count(network.macs_max);
  } else {
    json["macs_min"] = count(network.macs_min);
    json["macs_max"] = count(network.macs_max);
  }
  json["weight_bytes"] = count(network.weight_bytes);
  json["inputs"] = tensors(network.inputs);
  json["outputs"] = tensors(network.outputs);
  json["unmodelled"] = unmodelled_operators(report.layers);
}

}  // namespace

std::string to_json(const Report& report) {
  const NetworkReport& network = report.network;
  const RunReport* run = report.run ? &*report.run : nullptr;
  Json json;
  json["schema_version"] = kSchemaVersion;
  json["network"] = {{"file", network.file},
                     {"params", count(network.params)},
                     {"frozen_params", count(network.frozen_params)},
                     {"macs_per_sample", count(network.macs_max / static_cast<double>(network.batch))},
                     {"layers", report.coverage.layers}};
  if (run != nullptr) {
    add_run(json, *run, network.batch);
  } else {
    add_decomposition(json, report);
  }
  const CoverageReport& coverage = report.coverage;
  json["coverage"] = {{"layers", coverage.layers},
                      {"modelled", coverage.modelled},
                      {"macs_share", coverage.macs_share},
                      {"bytes_share", coverage.bytes_share},
                      {"inside_trained_range", coverage.inside_trained_range},
                      {"new_weights", coverage.new_weights}};
  Json& layers = json["layers"] = Json::array();
  for (const LayerReport& row : report.layers) {
    layers.push_back(layer(row, layers.size(), run));
    if (!row.fused) continue;
    Json fused = layer(fused_row(row), layers.size(), run);
    fused["fused_into"] = layers.size() - 1;
    layers.push_back(std::move(fused));
  }
  json["warnings"] = report.warnings;
  // Names in a network file may be no UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace layersim
