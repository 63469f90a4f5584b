#include "sim/evaluation/evaluation.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "sim/core/error.h"
#include "sim/evaluation/baselines.h"
#include "sim/store/byte_stream.h"
#include "sim/store/store_header.h"
#include "sim/store/store_reader.h"

namespace layersim {
namespace {

bool is_asked_for(const Sample& sample, const std::vector<std::string>& kinds) {
  const auto has = [&](std::string_view name) {
    return std::find(kinds.begin(), kinds.end(), name) != kinds.end();
  };
  return kinds.empty() || has(sample.problem.kind->name) ||
         (sample.family != nullptr && has(sample.family->name));
}

// SHA-256 of the file and, of a store, of the files that its rows came from.
std::vector<std::string> checksums_of(const std::string& path) {
  std::vector<std::string> checksums{file_sha256(path)};
  if (!looks_like_store(path)) return checksums;
  const StoreReader store(path);
  for (const Provenance& record : store.provenance()) checksums.push_back(record.source_sha256);
  return checksums;
}

bool is_source(const PredictorFile& predictor, const std::vector<std::string>& checksums) {
  const auto& sources = predictor.provenance.sources;
  return std::any_of(checksums.begin(), checksums.end(), [&](const std::string& checksum) {
    return !checksum.empty() && std::any_of(sources.begin(), sources.end(), [&](const std::string& source) {
      return source.find(checksum) != std::string::npos;
    });
  });
}

// Measures of some rows of an evaluation.
class GroupMaker {
 public:
  GroupMaker(const Evaluation& evaluation, const SampleSet& set) : evaluation_(evaluation), set_(set) {}

  [[nodiscard]] RowGroup make(const std::vector<std::size_t>& rows) const {
    RowGroup group;
    std::vector<double> measured;
    std::vector<double> predicted;
    std::vector<double> linear;
    std::vector<double> roofline;
    std::vector<Interval> intervals;
    for (const std::size_t i : rows) {
      const EvaluatedRow& row = evaluation_.rows[i];
      const Sample& sample = set_.samples[row.sample];
      const RowPrediction& prediction = row.prediction;
      group.stacks.insert(set_.stacks[static_cast<std::size_t>(sample.stack)]);
      group.networks.insert(prediction.network);
      group.estimated += prediction.basis == Basis::estimated ? 1 : 0;
      group.inside_trained_range += prediction.inside_trained_range ? 1 : 0;
      measured.push_back(sample.time_ms);
      predicted.push_back(prediction.time_ms);
      intervals.push_back(prediction.interval_ms);
      linear.push_back(row.linear_ms);
      roofline.push_back(row.roofline_ms);
    }
    group.predictor = measure_errors(measured, predicted, intervals);
    group.linear = measure_errors(measured, linear, {});
    group.roofline = measure_errors(measured, roofline, {});
    return group;
  }

 private:
  const Evaluation& evaluation_;
  const SampleSet& set_;
};

void make_groups(Evaluation& evaluation, const SampleSet& set) {
  using Key = std::tuple<std::string_view, std::string_view, std::string_view>;
  std::map<Key, std::vector<std::size_t>> groups;
  std::map<std::pair<std::string_view, std::string_view>, std::vector<std::size_t>> gpus;
  std::map<std::string_view, std::vector<std::size_t>> kinds;
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < evaluation.rows.size(); ++i) {
    const Sample& sample = set.samples[evaluation.rows[i].sample];
    const std::string_view kind = sample.problem.kind->name;
    const std::string_view gpu = set.devices[static_cast<std::size_t>(sample.device)].key;
    groups[{kind, name(sample.pass), gpu}].push_back(i);
    gpus[{kind, gpu}].push_back(i);
    kinds[kind].push_back(i);
    all.push_back(i);
  }
  const GroupMaker maker(evaluation, set);
  for (const auto& [key, rows] : groups) {
    RowGroup& group = evaluation.groups.emplace_back(maker.make(rows));
    group.kind = std::get<0>(key);
    group.mode = std::get<1>(key);
    group.gpu = std::get<2>(key);
  }
  for (const auto& [key, rows] : gpus) {
    RowGroup& group = evaluation.gpus.emplace_back(maker.make(rows));
    group.kind = key.first;
    group.gpu = key.second;
  }
  for (const auto& [kind, rows] : kinds) evaluation.kinds.emplace_back(maker.make(rows)).kind = kind;
  evaluation.overall = maker.make(all);
}

}  // namespace

std::size_t RowFiles::rows() const {
  std::size_t sum = 0;
  for (const File& file : files) sum += file.rows;
  return sum;
}

void add_file(RowFiles& rows, const std::string& path, SampleUse use, Warnings& warnings) {
  RowFiles::File file{path, 0, rows.set.samples.size(), {}};
  for (const Table& table : read_tables(path, warnings)) {
    if (find_table_kind(table.kind()) != nullptr &&
        find_table_kind(table.kind())->group == TableGroup::runs) {
      warnings.add(path + ": rows of kind '" + table.kind() +
                   "' are of whole networks: layersim validate takes them");
      continue;
    }
    file.rows += table.rows();
    with_context(path, [&] { add_samples(rows.set, table, use); });
  }
  if (file.rows == 0) throw bad_input(path + ": has no rows of layers");
  file.checksums = checksums_of(path);
  rows.files.push_back(std::move(file));
}

Evaluation evaluate_rows(const PredictorFile& predictor, const RowFiles& rows,
                         const EvaluationOptions& options) {
  Evaluation evaluation;
  evaluation.provenance = predictor.provenance;
  evaluation.held_out = options.held_out;
  evaluation.left_out = rows.set.left_out;
  if (options.held_out && predictor.provenance.test_share <= 0) {
    throw bad_use("--held-out: the predictor does not tell which rows its training kept out");
  }
  for (const RowFiles::File& file : rows.files) {
    if (is_source(predictor, file.checksums)) evaluation.trained_on.push_back(file.name);
  }
  std::vector<std::size_t> samples;
  for (std::size_t i = 0; i < rows.set.samples.size(); ++i) {
    const Sample& sample = rows.set.samples[i];
    if (!is_asked_for(sample, options.kinds)) continue;
    if (options.held_out &&
        split_position(sample.configuration, predictor.provenance.seed) >= predictor.provenance.test_share) {
      ++evaluation.seen_in_training;
      continue;
    }
    samples.push_back(i);
  }
  const std::vector<RowPrediction> predictions = predict_rows(predictor, rows.set, samples);
  std::vector<std::size_t> predicted;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Sample& sample = rows.set.samples[samples[i]];
    if (predictions[i].basis == Basis::none) {
      ++evaluation.left_out["the predictor has no network for layers of kind '" +
                            std::string(sample.problem.kind->name) + "'"];
      continue;
    }
    evaluation.rows.push_back({samples[i], predictions[i], 0, roofline_ms(rows.set, sample)});
    predicted.push_back(samples[i]);
  }
  if (evaluation.rows.empty()) {
    const std::string reasons = list_reasons(evaluation.left_out);
    throw Error(ErrorKind::nothing_predicted,
                "no row could be evaluated" + (reasons.empty() ? "" : ": " + reasons));
  }
  const std::vector<double> linear = linear_ms(rows.set, predicted);
  for (std::size_t i = 0; i < linear.size(); ++i) evaluation.rows[i].linear_ms = linear[i];
  make_groups(evaluation, rows.set);
  return evaluation;
}

}  // namespace layersim
