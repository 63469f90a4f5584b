#include "trainers/run_table_dataset.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <tuple>

#include "sim/core/error.h"
#include "sim/runs/run_networks.h"
#include "sim/runs/time_field.h"

namespace layersim {
namespace {

constexpr double kLatestPosition = 0.1;

OperationTimes operations_of(const RunTable& table, const Run& run) {
  OperationTimes times_ms{};
  for (std::size_t i = 0; i < kStepOperations; ++i) {
    const std::string column(kOperationColumns[i]);
    const std::string field = table.field(run, column);
    if (field.empty()) continue;
    times_ms.at(i) = with_context(table.place(run) + ": column '" + column + "'",
                                  [&] { return parse_time_ms(field, TimeOf::part); });
  }
  return times_ms;
}

// Tables spell one network differently: "bert_large", "BertLarge".
std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return plain;
}

}  // namespace

void add_runs(const RunTable& table, RunSetBuilder& builder) {
  RunNetworks networks;
  for (const Run& run : table.runs) {
    if (run.parallel.cluster.devices > 1) continue;
    const PreparedRun prepared = networks.prepare(run);
    MeasuredRun& added = builder.add(*prepared.network, prepared.conditions, run.measured_ms);
    added.network = table.architecture(run);
    added.network_family = table.field(run, "family");
    if (added.network_family.empty()) added.network_family = added.network;
    added.operations_ms = operations_of(table, run);
  }
}

void add_layers(const SampleSet& samples, std::size_t rows_each, std::uint64_t seed, RunSetBuilder& builder) {
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < samples.samples.size(); ++i) {
    order.emplace_back(split_position(samples.samples[i].configuration, seed), i);
  }
  std::sort(order.begin(), order.end());
  std::map<std::tuple<const FeatureFamily*, std::int32_t, std::int32_t, Pass>, std::size_t> counts;
  for (const auto& [position, i] : order) {
    const Sample& sample = samples.samples[i];
    // Late in a campaign whose host slowed down, a layer tells of the host.
    if (samples.query(sample).campaign_position > kLatestPosition) continue;
    std::size_t& count = counts[{sample.family, sample.stack, sample.device, sample.pass}];
    if (count < rows_each && builder.add(samples, sample)) ++count;
  }
}

void add_operators(const SampleSet& operators, RunSet& set, RunSetBuilder& builder) {
  struct Names {
    std::string network, family;
  };
  std::map<std::string, Names> known;
  for (const MeasuredRun& run : set.runs) {
    if (!run.is_layer) known.try_emplace(plain_name(run.network), Names{run.network, run.network_family});
  }
  for (const Sample& sample : operators.samples) {
    if (!builder.add(operators, sample)) continue;
    MeasuredRun& added = set.runs.back();
    const auto found = known.find(plain_name(sample.network));
    const Names names = found == known.end() ? Names{sample.network, sample.network} : found->second;
    added.network = names.network;
    added.network_family = names.family;
  }
}

}  // namespace layersim
