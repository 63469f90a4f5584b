#include "trainers/methods/conv_times.h"

#include <cmath>
#include <filesystem>

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

void ConvTimes::add_time(const Key& key, const std::string& stack, Part part, double time_ms) {
  if (!std::isfinite(time_ms) || time_ms <= 0) return;  // was not measured
  times_[key].by_stack[stack].at(static_cast<std::size_t>(part)).push_back(time_ms);
}

void ConvTimes::add(const Table& table) {
  if (table.kind() != kConv) return;
  check_sizes(table);
  const RowConversion convert = find_row_conversion(kConv, SampleUse::training);
  const RowReader reader(table);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    with_context(table.place(row), [&] {
      const std::string_view activation = reader.text("activation", row);
      if (!activation.empty() && activation != "none") return;
      Sample sample;
      if (!convert(reader, row, sample).empty()) return;
      sample.problem.kind->derive(sample.problem);
      const Key key{std::string(reader.text("gpu", row)), precision_of(reader.text("precision", row)),
                    sizes_of(sample.problem)};
      const std::string stack(reader.text("framework", row));
      const std::string_view mode = reader.text("mode", row);
      const auto time = [&](const char* column) { return reader.number_or(column, row, 0); };
      if (mode == "training") {
        add_time(key, stack, Part::forward, time("forward_ms"));
        add_time(key, stack, Part::backward, time("backward_ms"));
      } else if (mode == "backward_data") {
        add_time(key, stack, Part::backward_data, time("time_ms"));
      } else if (mode == "backward_filter" || mode == "backward_weight") {
        add_time(key, stack, Part::backward_weight, time("time_ms"));
      } else if (mode == "backward") {
        add_time(key, stack, Part::backward, time("time_ms"));
      } else {
        add_time(key, stack, Part::forward, time("time_ms"));
      }
      ++rows_;
    });
  }
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
