#include "sampler/problem_list.h"

#include "sim/core/error.h"
#include "sim/store/csv_rows.h"
#include "sim/store/size_columns.h"
#include "trainers/row_conversion.h"

namespace layersim {
namespace {

// The value of a column, or `fallback` where it is empty.
template <typename Value, typename Parse>
Value read_name(const RowReader& reader, std::size_t row, std::string_view column, Parse&& parse,
                Value fallback) {
  const std::string_view text = reader.text(column, row);
  if (text.empty()) return fallback;
  if (const auto value = parse(text)) return *value;
  throw bad_input("column '" + std::string(column) + "': unknown value '" + std::string(text) + "'");
}

SampleProblem read_problem(const RowReader& reader, std::size_t row, RowConversion convert) {
  Sample converted;
  const std::string reason = convert(reader, row, converted);
  if (!reason.empty()) throw bad_input("cannot be measured: " + reason);
  SampleProblem sample{.problem = std::move(converted.problem)};
  Problem& problem = sample.problem;
  sample.mode = read_name(reader, row, "mode", parse_mode, Mode::forward);
  sample.precision = read_name(reader, row, "precision", parse_precision, Precision::fp32);
  problem.activation = read_name(reader, row, "activation", parse_activation, problem.activation);
  problem.dtype = problem.weight_dtype = compute_dtype(sample.precision);
  if (problem.kind->derive != nullptr) problem.kind->derive(problem);
  sample.input_gradient = sample.mode == Mode::forward || reader.count_or("input_gradient", row, 1) != 0;
  const Optimizer optimizer = read_name(reader, row, "optimizer", parse_optimizer, Optimizer::none);
  const bool learns = problem.kind->work(problem).weight_elements > 0;
  if (sample.mode == Mode::training && learns) sample.optimizer = optimizer;
  if (const std::string why_not = reason_not_to_measure(sample); !why_not.empty()) throw bad_input(why_not);
  return sample;
}

}  // namespace

std::vector<SampleProblem> read_problem_list(const std::string& path, Warnings& warnings) {
  const Table table = read_csv(path, warnings, RowsOf::problems);
  return with_context(path, [&] {
    const RowConversion convert = find_row_conversion(table.kind(), SampleUse::training);
    if (convert == nullptr) throw bad_input("rows of kind '" + table.kind() + "' are no single layers");
    if (table.rows() == 0) throw bad_input("has no rows");
    check_sizes(table);
    const RowReader reader(table);
    std::vector<SampleProblem> problems;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      with_context(table.place(row), [&] { problems.push_back(read_problem(reader, row, convert)); });
    }
    return problems;
  });
}

}  // namespace layersim
