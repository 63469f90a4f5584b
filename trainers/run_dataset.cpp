#include "trainers/run_dataset.h"

#include <algorithm>

#include "sim/features/device_numbers.h"
#include "sim/features/network_queries.h"
#include "sim/timing/host_work.h"

namespace layersim {
namespace {

template <typename Number>
void append_bytes(std::string& key, const Number& number) {
  key.append(reinterpret_cast<const char*>(&number), sizeof number);  // NOLINT: a key, not text
}

// Everything that the features of a part depend on.
std::string key_of(const StepPart& part, std::int32_t setting) {
  std::string key;
  append_bytes(key, part.problem.kind);
  for (const std::int64_t size : part.problem.sizes) append_bytes(key, size);
  append_bytes(key, part.problem.dtype);
  append_bytes(key, part.problem.activation);
  append_bytes(key, part.pass);
  append_bytes(key, part.follows_product);
  append_bytes(key, setting);
  if (part.problem.kind == nullptr) append_bytes(key, part.work.forward.bytes());
  return key;
}

bool is_of_pass(const StepPart& part, Pass pass) {
  return pass == Pass::forward || pass == Pass::training || part.pass == pass;
}

}  // namespace

Conditions RunSetting::conditions() const {
  Conditions conditions;
  conditions.device = device;
  conditions.precision = precision;
  conditions.optimizer = Optimizer::none;
  conditions.stack = stack;
  return conditions;
}

RunSetBuilder::RunSetBuilder(RunSet& set) : set_(set) {
  for (const char* family : {"conv", "gemm", "streaming"}) {
    set_.parts.push_back({find_feature_family(family), {}, {}, {}, {}, {}});
  }
  rows_.resize(set_.parts.size());
}

std::int32_t RunSetBuilder::setting(const Conditions& conditions) {
  const Device*& device = devices_[conditions.device->key];
  if (device == nullptr) device = &set_.devices.emplace_back(*conditions.device);
  const std::string key = conditions.device->key + '\n' + std::string(conditions.stack) + '\n' +
                          std::string(name(conditions.precision));
  const auto [entry, is_new] = settings_.try_emplace(key, static_cast<std::int32_t>(set_.settings.size()));
  if (is_new) set_.settings.push_back({device, std::string(conditions.stack), conditions.precision});
  return entry->second;
}

void RunSetBuilder::count(const StepPart& part, const LayerQuery& query, const Conditions& conditions,
                          double repeats, MeasuredRun& run) {
  std::size_t f = 0;
  while (f < set_.parts.size() && set_.parts[f].family != part.family) ++f;
  if (f == set_.parts.size() || repeats <= 0) return;
  PartRows& rows = set_.parts[f];
  const auto [entry, is_new] =
      rows_[f].try_emplace(key_of(part, run.setting), static_cast<std::int32_t>(rows.rows()));
  if (is_new) {
    const std::size_t features = rows.features.size();
    const std::size_t terms = rows.log_terms_ms.size();
    rows.features.resize(features + rows.family->features.size());
    rows.log_terms_ms.resize(terms + rows.family->terms.size());
    Conditions of_parts = conditions;
    of_parts.optimizer = Optimizer::none;
    rows.family->fill(part.query(query), DeviceNumbers(of_parts), rows.features.data() + features,
                      rows.log_terms_ms.data() + terms);
    rows.setting.push_back(run.setting);
    rows.operation.push_back(step_operation(part));
    rows.weights.push_back(part.backward ? std::nullopt : weight_shape(part.problem));
  }
  const auto family = static_cast<std::int32_t>(f);
  for (PartCount& known : run.parts) {
    if (known.family == family && known.row == entry->second) {
      known.repeats += static_cast<float>(repeats);
      return;
    }
  }
  run.parts.push_back({family, entry->second, static_cast<float>(repeats)});
}

MeasuredRun& RunSetBuilder::add(const Network& network, const Conditions& conditions, double measured_ms) {
  MeasuredRun run;
  run.setting = setting(conditions);
  run.mode = conditions.mode;
  run.measured_ms = measured_ms;
  const std::vector<LayerQuery> queries = make_queries(network);
  std::vector<double> repeats;
  std::vector<StepPart> parts;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    repeats.push_back(network.repeats(network.layers[i]));
    append_parts(queries[i], i, conditions, parts);
  }
  run.host = StepHostWork(network, queries, conditions).total(repeats);
  for (const StepPart& part : parts) count(part, queries[part.layer], conditions, repeats[part.layer], run);
  return set_.runs.emplace_back(std::move(run));
}

bool RunSetBuilder::add(const SampleSet& samples, const Sample& sample) {
  if (sample.pass == Pass::backward) return false;
  const Conditions conditions = samples.conditions(sample);
  const LayerQuery query = samples.query(sample).layer;
  MeasuredRun run;
  run.setting = setting(conditions);
  run.mode = conditions.mode;
  run.is_layer = true;
  run.measured_ms = sample.time_ms;
  std::vector<StepPart> parts;
  append_parts(query, 0, conditions, parts);
  for (const StepPart& part : parts) {
    if (is_of_pass(part, sample.pass)) count(part, query, conditions, 1, run);
  }
  if (run.parts.empty()) return false;
  if (sample.pass == Pass::training) {
    const OptimizerCost update = cost(sample.optimizer);
    double updated = query.learned_elements;
    if (sample.updates_activations) {
      updated = sample.work.forward.bytes() / bytes(sample.problem.dtype);  // the input and the output too
    }
    run.host.update_bytes = updated * (update.reads + update.writes) * bytes(stored_dtype(sample.precision));
  }
  set_.runs.push_back(std::move(run));
  return true;
}

}  // namespace layersim
