#include "trainers/methods/conv_times.h"

#include <cmath>
#include <filesystem>

#include "hwdb/device_keys.h"
#include "sim/core/error.h"
#include "sim/methods/telemetry/signal.h"
#include "sim/store/size_columns.h"
#include "sim/store/store_reader.h"
#include "trainers/row_conversion.h"

namespace layersim {
namespace {

constexpr std::string_view kConv = "conv";

// Sizes that tell configurations apart.
std::vector<std::int64_t> sizes_of(const Problem& problem) {
  std::vector<std::int64_t> sizes = problem.sizes;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (problem.kind->parameters[i].name == "bias") sizes[i] = 0;
  }
  return sizes;
}

Precision precision_of(std::string_view text) {
  if (text.empty()) return Precision::fp32;
  if (const auto precision = parse_precision(text)) return *precision;
  throw bad_input("column 'precision': unknown value '" + std::string(text) + "'");
}

}  // namespace

ConvTimes::PartTimes ConvTimes::part_times(const RowReader& reader, std::size_t row) {
  PartTimes times;
  const auto add = [&](Part part, const char* column) {
    const double time_ms = reader.number_or(column, row, 0);
    if (std::isfinite(time_ms) && time_ms > 0) times.emplace_back(part, time_ms);  // else not measured
  };
  switch (parse_pass(reader.text("mode", row))) {
    case Pass::training:
      add(Part::forward, "forward_ms");
      add(Part::backward, "backward_ms");
      break;
    case Pass::forward:
      add(Part::forward, "time_ms");
      break;
    case Pass::backward:
      add(Part::backward, "time_ms");
      break;
    case Pass::backward_data:
      add(Part::backward_data, "time_ms");
      break;
    case Pass::backward_weight:
      add(Part::backward_weight, "time_ms");
      break;
  }
  return times;
}

std::string ConvTimes::add_row(const RowReader& reader, std::size_t row, const std::string& gpu) {
  const std::string_view activation = reader.text("activation", row);
  if (!activation.empty() && activation != "none") return "with an activation";
  Sample sample;
  if (std::string reason = find_row_conversion(kConv, SampleUse::training)(reader, row, sample);
      !reason.empty())
    return reason;
  sample.problem.kind->derive(sample.problem);
  const PartTimes times = part_times(reader, row);
  if (times.empty() && reader.text("mode", row) == "training")
    return "of training steps without forward_ms and backward_ms";
  if (times.empty()) return "without a time";
  auto& by_stack =
      times_[{gpu, precision_of(reader.text("precision", row)), sizes_of(sample.problem)}].by_stack;
  auto& parts = by_stack[std::string(reader.text("framework", row))];
  for (const auto& [part, time_ms] : times) parts.at(static_cast<std::size_t>(part)).push_back(time_ms);
  ++rows_;
  return {};
}

void ConvTimes::add(const Table& table) {
  if (table.kind() != kConv) {
    if (table.rows() > 0) left_out_["of kind '" + table.kind() + "'"] += table.rows();
    return;
  }
  check_sizes(table);
  const RowReader reader(table);
  DeviceKeys gpus;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    with_context(table.place(row), [&] {
      const std::string_view gpu = reader.text("gpu", row);
      const std::string reason = add_row(reader, row, gpus.find_known(gpu).value_or(std::string(gpu)));
      if (!reason.empty()) ++left_out_[reason];
    });
  }
}

std::set<std::pair<std::string, Precision>> ConvTimes::machines() const {
  std::set<std::pair<std::string, Precision>> machines;
  for (const auto& [key, times] : times_) machines.emplace(std::get<0>(key), std::get<1>(key));
  return machines;
}

bool ConvTimes::has_part(const Problem& problem, const Conditions& conditions) const {
  return times_.contains({conditions.device->key, conditions.precision, sizes_of(problem)});
}

std::optional<double> ConvTimes::time_of(const std::array<std::vector<double>, 4>& parts, Mode mode,
                                         const ConvPasses& passes) {
  const auto& [forward, data, weight, both] = parts;
  if (forward.empty()) return {};
  const double forward_ms = median_of(forward);
  if (mode == Mode::forward || (!passes.input_gradient && !passes.weight_gradient)) return forward_ms;
  const bool split =
      (!passes.input_gradient || !data.empty()) && (!passes.weight_gradient || !weight.empty());
  if (split)
    return forward_ms + (passes.input_gradient ? median_of(data) : 0) +
           (passes.weight_gradient ? median_of(weight) : 0);
  if (both.empty()) return {};
  return forward_ms + median_of(both) * (passes.input_gradient && passes.weight_gradient ? 1 : 0.5);
}

std::optional<double> ConvTimes::find(const Problem& problem, const Conditions& conditions,
                                      const ConvPasses& passes) const {
  const auto found = times_.find({conditions.device->key, conditions.precision, sizes_of(problem)});
  if (found == times_.end()) return {};
  const auto& by_stack = found->second.by_stack;
  if (const auto own = by_stack.find(std::string(conditions.stack)); own != by_stack.end()) {
    if (const auto time = time_of(own->second, conditions.mode, passes)) return time;
  }
  std::vector<double> times;
  for (const auto& [stack, parts] : by_stack) {
    if (const auto time = time_of(parts, conditions.mode, passes)) times.push_back(*time);
  }
  if (times.empty()) return {};
  return median_of(times);
}

ConvTimes read_conv_times(const std::string& file, bool may_lack) {
  ConvTimes times;
  if (may_lack && !std::filesystem::exists(file)) return times;
  Warnings ignored;  // `data import` tells them
  const std::vector<Table> tables = read_tables(file, ignored);
  with_context(file, [&] {
    for (const Table& table : tables) times.add(table);
  });
  return times;
}

}  // namespace layersim
