#include "sampler/sample_row.h"

#include <algorithm>
#include <array>

#include "sim/core/json.h"
#include "sim/core/strict_json.h"

namespace layersim {
namespace {

struct Renamed {
  std::string_view parameter;
  std::string_view column;
};
constexpr std::array kConvColumns{Renamed{"batch", "batch"},
                                  Renamed{"in_channels", "in_channels"},
                                  Renamed{"out_channels", "out_channels"},
                                  Renamed{"groups", "groups"},
                                  Renamed{"bias", "bias"},
                                  Renamed{"in_h", "input_h"},
                                  Renamed{"in_w", "input_w"},
                                  Renamed{"kernel_h", "kernel_h"},
                                  Renamed{"kernel_w", "kernel_w"},
                                  Renamed{"stride_h", "stride_h"},
                                  Renamed{"stride_w", "stride_w"},
                                  Renamed{"dilation_h", "dilation_h"},
                                  Renamed{"dilation_w", "dilation_w"},
                                  Renamed{"pad_begin_h", "pad_h"},
                                  Renamed{"pad_begin_w", "pad_w"}};
constexpr std::array kDenseColumns{Renamed{"rows", "batch"}, Renamed{"in_features", "in_features"},
                                   Renamed{"out_features", "out_features"}, Renamed{"bias", "bias"}};

void add(SampleRow& row, std::string_view column, double number) { row.fields.emplace_back(column, number); }
void add(SampleRow& row, std::string_view column, std::string_view text) {
  row.fields.emplace_back(column, std::string(text));
}

template <typename Columns>
void add_renamed(SampleRow& row, const Problem& problem, const Columns& columns) {
  for (const auto& [parameter, column] : columns) {
    add(row, column, static_cast<double>(problem.size(parameter)));
  }
}

void add_parameters(SampleRow& row, const Problem& problem) {
  add(row, "layer_kind", problem.kind->name);
  for (std::size_t i = 0; i < problem.sizes.size(); ++i) {
    const Parameter& parameter = problem.kind->parameters[i];
    if (parameter.draw == Draw::derived) continue;
    const auto choice = static_cast<std::size_t>(problem.sizes[i]);
    if (parameter.choices.empty()) {
      add(row, parameter.name, static_cast<double>(problem.sizes[i]));
    } else {
      add(row, parameter.name, parameter.choices.at(choice));
    }
  }
}

void add_problem(SampleRow& row, const Problem& problem) {
  row.table = "problems";
  if (problem.kind->name == "conv" || problem.kind->name == "dense") row.table = problem.kind->name;
  if (row.table == "conv") return add_renamed(row, problem, kConvColumns);
  if (row.table == "dense") return add_renamed(row, problem, kDenseColumns);
  add_parameters(row, problem);
}

void add_times(SampleRow& row, const SampleResult& result) {
  const Timing& timing = result.timing;
  add(row, "repetitions", timing.repetitions);
  add(row, "time_ms", timing.median_ms);
  add(row, "time_ms_min", timing.min_ms);
  add(row, "time_ms_max", timing.max_ms);
  add(row, "time_ms_std", timing.std_ms);
  if (result.sample.mode != Mode::training) return;
  add(row, "forward_ms", result.parts.forward_ms);
  add(row, "backward_ms", result.parts.backward_ms);
  add(row, "update_ms", result.parts.update_ms);
}

}  // namespace

SampleRow make_row(const SampleResult& result, const std::string& gpu, const std::string& stack) {
  const SampleProblem& sample = result.sample;
  SampleRow row{.index = result.index};
  add(row, "gpu", gpu);
  add(row, "framework", stack);
  add(row, "source", "layersim sample");
  add(row, "precision", name(sample.precision));
  add(row, "mode", name(sample.mode));
  add(row, "optimizer", name(sample.optimizer));
  if (sample.mode == Mode::training) add(row, "input_gradient", sample.input_gradient ? 1 : 0);
  if (!result.skipped.empty()) {
    row.table = "skipped";
    add(row, "problem", to_text(sample));
    add(row, "skip_reason", result.skipped);
    return row;
  }
  add(row, "activation", name(sample.problem.activation));
  add(row, "n_gpus", 1);
  add_problem(row, sample.problem);
  add_times(row, result);
  return row;
}

void append_row(Table& table, const SampleRow& row) {
  for (const auto& [name, value] : row.fields) {
    if (table.find(name) == nullptr) table.add_column(column_spec(name));
  }
  for (Column& column : table.columns()) {
    const auto field = std::find_if(row.fields.begin(), row.fields.end(),
                                    [&](const auto& pair) { return pair.first == column.spec.name; });
    if (field == row.fields.end()) {
      column.add_missing(1);
    } else if (const auto* text = std::get_if<std::string>(&field->second)) {
      column.codes.push_back(column.dictionary.code(*text));
    } else {
      column.numbers.push_back(std::get<double>(field->second));
    }
  }
  table.set_rows(table.rows() + 1);
}

std::string to_line(const SampleRow& row) {
  Json fields = Json::object();
  for (const auto& field : row.fields) {
    std::visit([&](const auto& content) { fields[field.first] = content; }, field.second);
  }
  return Json{{"index", row.index}, {"table", row.table}, {"fields", std::move(fields)}}.dump(
      -1, ' ', true, Json::error_handler_t::replace);
}

SampleRow row_of_line(std::string_view line) {
  return read_json_text("a measured row", line, [](const JsonObject& root) {
    SampleRow row{.index = static_cast<std::uint64_t>(root.get<std::int64_t>("index")),
                  .table = root.get<std::string>("table")};
    const auto fields = root.get<JsonObject>("fields");
    for (const std::string& name : fields.keys()) {
      if (column_spec(name).type == ColumnType::text) {
        row.fields.emplace_back(name, fields.get<std::string>(name));
      } else {
        row.fields.emplace_back(name, fields.get<double>(name));
      }
    }
    return row;
  });
}

}  // namespace layersim
