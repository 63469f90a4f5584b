#include "trainers/dataset.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>

#include "hwdb/device_db.h"
#include "sim/core/error.h"
#include "sim/features/device_numbers.h"
#include "sim/features/device_precisions.h"
#include "sim/store/size_columns.h"
#include "sim/store/table_kind.h"
#include "trainers/row_conversion.h"

namespace layersim {
namespace {

// In the campaign of Justus et al. 2018 the input and the target of a layer are trainable variables.
constexpr std::string_view kSourceWithTrainedActivations = "justus2018";
// In the campaign of NeuSight (Lee et al. 2025) the host time of a convolution grew from the first row of a
// device to the last, four times and more, whatever the layer; other kinds of layers show nothing of it.
constexpr std::string_view kSourceWithDrift = "neusight";
constexpr std::string_view kTableWithDrift = "conv";

// Of each row among those of its device and import, in their order; 0 for rows of other campaigns.
std::vector<double> campaign_positions(const Table& table) {
  std::vector<double> positions(table.rows(), 0);
  if (table.kind() != kTableWithDrift) return positions;
  std::map<std::pair<std::string_view, std::int32_t>, std::vector<std::size_t>> campaigns;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (table.text("source", row) != kSourceWithDrift) continue;
    const std::int32_t import = table.provenance().empty() ? 0 : table.provenance()[row];
    campaigns[{table.text("gpu", row), import}].push_back(row);
  }
  for (const auto& [key, rows] : campaigns) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      positions[rows[i]] = (static_cast<double>(i) + 0.5) / static_cast<double>(rows.size());
    }
  }
  return positions;
}

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  // splitmix64's finalizer.
  hash += value + 0x9e3779b97f4a7c15ULL;
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9ULL;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebULL;
  return hash ^ (hash >> 31);
}

std::uint64_t configuration_hash(const Sample& sample) {
  std::uint64_t hash = 0;
  for (const char c : sample.problem.kind->name) hash = mix(hash, static_cast<unsigned char>(c));
  for (const std::int64_t size : sample.problem.sizes) hash = mix(hash, static_cast<std::uint64_t>(size));
  hash = mix(hash, static_cast<std::uint64_t>(sample.problem.activation));
  return mix(hash, static_cast<std::uint64_t>(sample.optimizer));
}

// "tf1.10"; for direct calls of a library the library with its major version: "cudnn7".
std::string stack_of(std::string_view framework, std::string_view library_version) {
  constexpr std::string_view kDirect = "-direct";
  if (!framework.ends_with(kDirect)) return std::string(framework);
  const std::string_view library = framework.substr(0, framework.size() - kDirect.size());
  const std::size_t begin = library_version.find(library);
  if (begin == std::string_view::npos) return std::string(framework);
  const std::size_t end = library_version.find_first_of(". ", begin);
  return std::string(library_version.substr(begin, end == std::string_view::npos ? end : end - begin));
}

template <typename Enum>
Enum parse_or_throw(std::optional<Enum> parsed, std::string_view column, std::string_view text) {
  if (parsed) return *parsed;
  throw bad_input("column '" + std::string(column) + "': unknown value '" + std::string(text) + "'");
}

// What a row tells of a layer and its time, wherever it ran. Returns why it gives no sample; the empty text
// when it does.
std::string read_layer(const RowReader& reader, std::size_t row, RowConversion convert, Sample& sample) {
  sample.pass = parse_pass(reader.text("mode", row));
  sample.time_ms = reader.number_or("time_ms", row, 0);
  if (std::string reason = convert(reader, row, sample); !reason.empty()) return reason;
  if (const auto text = reader.text("precision", row); !text.empty()) {
    sample.precision = parse_or_throw(parse_precision(text), "precision", text);
  }
  if (const auto text = reader.text("optimizer", row); !text.empty()) {
    sample.optimizer = parse_or_throw(parse_optimizer(text), "optimizer", text);
  }
  if (const auto text = reader.text("activation", row); !text.empty() && text != "none") {
    sample.problem.activation = parse_or_throw(parse_activation(text), "activation", text);
  }
  sample.input_gradient = reader.count_or("input_gradient", row, 1) != 0;
  sample.updates_activations =
      sample.pass == Pass::training && reader.text("source", row) == kSourceWithTrainedActivations;
  if (!(sample.time_ms > 0 && sample.time_ms <= kMostMeasuredMs)) {
    throw bad_input("the time is not above 0 and up to 1e12 ms");
  }
  sample.spread = reader.number_or("time_ms_std", row, 0) / sample.time_ms;
  sample.problem.dtype = sample.problem.weight_dtype = compute_dtype(sample.precision);
  if (sample.problem.kind->derive != nullptr) sample.problem.kind->derive(sample.problem);
  sample.work = sample.problem.kind->work(sample.problem);
  return {};
}

// Adds the rows of one table; keeps what is looked up by text.
class SampleAdder {
 public:
  SampleAdder(SampleSet& set, const Table& table, RowConversion convert, SampleUse use)
      : set_(set),
        table_(table),
        reader_(table),
        convert_(convert),
        use_(use),
        positions_(campaign_positions(table)) {
    for (std::size_t i = 0; i < set.devices.size(); ++i) {
      devices_.emplace(set.devices[i].key, static_cast<std::int32_t>(i));
    }
  }

  bool add(std::size_t row) {
    Sample sample;
    sample.row = static_cast<std::uint32_t>(row);
    sample.campaign_position = positions_[row];
    if (const std::string reason = read_layer(reader_, row, convert_, sample); !reason.empty()) {
      return leave_out(reason);
    }
    sample.family = find_feature_family(sample.problem);
    if (sample.family == nullptr && use_ == SampleUse::training) {
      return leave_out("layers of kind '" + std::string(sample.problem.kind->name) + "'");
    }
    sample.device = device(table_.text("gpu", row));
    check_runs_on_device(sample);
    sample.stack =
        stack_index(set_, stack_of(table_.text("framework", row), table_.text("library_version", row)));
    sample.configuration = configuration_hash(sample);
    set_.samples.push_back(std::move(sample));
    return true;
  }

 private:
  bool leave_out(const std::string& reason) {
    ++set_.left_out[reason];
    return false;
  }

  void check_runs_on_device(const Sample& sample) const {
    try {
      check_precision(set_.devices[static_cast<std::size_t>(sample.device)], sample.precision);
    } catch (const Error& error) {
      throw bad_input(std::string("column 'precision': ") + error.what());
    }
  }

  std::int32_t device(std::string_view key) {
    const auto found = devices_.find(key);
    if (found != devices_.end()) return found->second;
    try {
      set_.devices.push_back(device_db_.find(key));
    } catch (const Error& error) {
      throw bad_input(std::string("column 'gpu': ") + error.what());
    }
    const auto index = static_cast<std::int32_t>(set_.devices.size() - 1);
    devices_.emplace(std::string(key), index);
    return index;
  }

  SampleSet& set_;
  DeviceDb device_db_;
  const Table& table_;
  RowReader reader_;
  RowConversion convert_;
  SampleUse use_;
  std::vector<double> positions_;
  std::map<std::string, std::int32_t, std::less<>> devices_;
};

}  // namespace

FeatureQuery SampleSet::query(const Sample& sample) const {
  return {.layer = {.problem = &sample.problem,
                    .work = &sample.work,
                    .learned_elements = sample.work.weight_elements,
                    .needs_input_gradient = sample.has_gradient && sample.input_gradient,
                    .needs_weight_gradient = sample.has_gradient && sample.work.weight_elements > 0},
          .pass = sample.pass,
          .updates_activations = sample.updates_activations,
          .campaign_position = sample.campaign_position};
}

Conditions SampleSet::conditions(const Sample& sample) const {
  return {.device = &devices[static_cast<std::size_t>(sample.device)],
          .precision = sample.precision,
          .mode = sample.pass == Pass::forward ? Mode::forward : Mode::training,
          .optimizer = sample.optimizer,
          .stack = stacks[static_cast<std::size_t>(sample.stack)]};
}

std::int32_t stack_index(SampleSet& set, const std::string& stack) {
  const auto found = std::find(set.stacks.begin(), set.stacks.end(), stack);
  const auto index = static_cast<std::int32_t>(found - set.stacks.begin());
  if (found == set.stacks.end()) set.stacks.push_back(stack);
  return index;
}

std::size_t add_samples(SampleSet& set, const Table& table, SampleUse use) {
  check_sizes(table);
  const RowConversion convert = find_row_conversion(table.kind(), use);
  if (convert == nullptr) {
    if (table.rows() > 0) set.left_out["rows of kind '" + table.kind() + "'"] += table.rows();
    return table.rows();
  }
  SampleAdder adder(set, table, convert, use);
  std::size_t left_out = 0;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    with_context(table.place(row), [&] { left_out += adder.add(row) ? 0 : 1; });
  }
  return left_out;
}

std::string list_reasons(const std::map<std::string, std::size_t>& left_out) {
  std::string text;
  for (const auto& [reason, rows] : left_out) {
    text.append(text.empty() ? "" : "; ")
        .append(std::to_string(rows))
        .append(rows == 1 ? " row: " : " rows: ")
        .append(reason);
  }
  return text;
}

void check_layer_row(const Table& table, std::size_t row) {
  const RowConversion convert = find_row_conversion(table.kind(), SampleUse::evaluation);
  if (convert == nullptr) return;
  Sample ignored;
  static_cast<void>(read_layer(RowReader(table), row, convert, ignored));
}

double split_position(std::uint64_t configuration, std::uint64_t seed) {
  return static_cast<double>(mix(configuration, seed) >> 11) * 0x1.0p-53;
}

FeatureMatrix make_feature_matrix(const SampleSet& set, std::vector<std::size_t> samples,
                                  std::vector<std::string> gpus, std::vector<std::string> stacks) {
  FeatureMatrix matrix;
  if (samples.empty()) return matrix;
  matrix.family = set.samples[samples.front()].family;
  matrix.gpus = std::move(gpus);
  matrix.stacks = std::move(stacks);
  const std::size_t own = matrix.family->features.size();
  const std::size_t width = own + device_feature_specs().size() + matrix.gpus.size() + matrix.stacks.size();
  const std::size_t terms = matrix.family->terms.size();
  matrix.feature_count = static_cast<int>(width);
  matrix.term_count = static_cast<int>(terms);
  matrix.features.resize(samples.size() * width);
  matrix.log_terms_ms.resize(samples.size() * terms);

  struct Shared {
    DeviceNumbers device;
    std::vector<float> features;
  };
  std::map<std::tuple<std::int32_t, std::int32_t, Precision, Optimizer>, Shared> shared;
  double weight_sum = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Sample& sample = set.samples[samples[i]];
    const auto key = std::make_tuple(sample.device, sample.stack, sample.precision, sample.optimizer);
    auto found = shared.find(key);
    if (found == shared.end()) {
      const Conditions conditions = set.conditions(sample);
      Shared entry{DeviceNumbers(conditions),
                   shared_features(conditions, DeviceView::full, matrix.gpus, matrix.stacks)};
      found = shared.emplace(key, std::move(entry)).first;
    }
    float* row = matrix.features.data() + i * width;
    matrix.family->fill(set.query(sample), found->second.device, row, matrix.log_terms_ms.data() + i * terms);
    std::copy(found->second.features.begin(), found->second.features.end(), row + own);
    matrix.log_time_ms.push_back(static_cast<float>(std::log(sample.time_ms)));
    // Rows whose repetitions scatter by more than some 5 % tell less.
    const double relative_spread = sample.spread / 0.05;
    matrix.weights.push_back(static_cast<float>(1 / std::sqrt(1 + relative_spread * relative_spread)));
    weight_sum += matrix.weights.back();
  }
  const auto scale = static_cast<float>(static_cast<double>(samples.size()) / weight_sum);
  for (float& weight : matrix.weights) weight *= scale;
  matrix.samples = std::move(samples);
  return matrix;
}

}  // namespace layersim
