// A drawn problem must be the same problem when train reads its row.
#include "sampler/sample_row.h"

#include <catch2/catch.hpp>
#include <map>

#include "sampler/problem_drawer.h"
#include "sampler/problem_list.h"
#include "sim/core/error.h"
#include "sim/store/csv_writer.h"
#include "sim/store/table_kind.h"
#include "tests/store/temporary_folder.h"
#include "trainers/row_conversion.h"

namespace layersim {
namespace {

SampleResult result_of(const SampleProblem& sample) {
  SampleResult result{.index = 5, .sample = sample};
  result.timing = {.median_ms = 3, .min_ms = 2.5, .max_ms = 4, .std_ms = 0.5, .repetitions = 5, .calls = 7};
  result.parts = {.total_ms = 3, .forward_ms = 1, .backward_ms = 1.5, .update_ms = 0.5};
  return result;
}

std::map<std::string, Table> tables_of_problems(std::uint64_t count, std::vector<SampleProblem>& drawn) {
  const ProblemDrawer drawer(read_sweep_file(find_sweep_file("default")), 11);
  std::map<std::string, Table> tables;
  for (std::uint64_t i = 0; i < count; ++i) {
    SampleProblem& sample = drawn.emplace_back(drawer.draw(i));
    if (sample.optimizer != Optimizer::none) sample.input_gradient = i % 3 == 0;
    const SampleRow row = make_row(result_of(drawn.back()), "k80", "formula1.0");
    append_row(tables.try_emplace(row.table, row.table).first->second, row);
  }
  return tables;
}

TEST_CASE("the vocabulary of rows has every parameter of every kind") {
  for (const LayerKind* kind : layer_kinds()) {
    for (const Parameter& parameter : kind->parameters) {
      INFO(kind->name << " " << parameter.name);
      const ColumnSpec spec = column_spec(parameter.name);
      CHECK(spec.known);
      CHECK((spec.type == ColumnType::text) == !parameter.choices.empty());
    }
  }
}

TEST_CASE("a row gives back the problem that was measured") {
  std::vector<SampleProblem> drawn;
  const auto tables = tables_of_problems(320, drawn);
  std::map<std::string, std::size_t> next;
  for (const SampleProblem& sample : drawn) {
    INFO(to_text(sample));
    const SampleRow row = make_row(result_of(sample), "k80", "formula1.0");
    const std::size_t number = next[row.table]++;
    Sample read;
    const RowReader reader(tables.at(row.table));
    REQUIRE(find_row_conversion(row.table, SampleUse::training)(reader, number, read).empty());
    if (read.problem.kind->derive != nullptr) read.problem.kind->derive(read.problem);
    CHECK(read.problem.kind == sample.problem.kind);
    CHECK(read.problem.sizes == sample.problem.sizes);
    CHECK(reader.number_or("time_ms", number, 0) == 3);
    CHECK(reader.number_or("forward_ms", number, 0) == (sample.mode == Mode::training ? 1 : 0));
  }
  CHECK(next.size() == 3);
}

TEST_CASE("a list of problems is read as it is written") {
  std::vector<SampleProblem> drawn;
  const tests::TemporaryFolder folder;
  Warnings warnings;
  std::map<std::string, std::vector<std::string>> texts;
  for (const auto& [kind, table] : tables_of_problems(160, drawn)) {
    std::string csv;
    write_csv_header(table, csv);
    write_csv_rows(table, csv);
    for (const SampleProblem& sample : read_problem_list(folder.write(kind + ".csv", csv), warnings)) {
      texts[kind].push_back(to_text(sample));
    }
  }
  std::map<std::string, std::size_t> next;
  for (const SampleProblem& sample : drawn) {
    const std::string table = make_row(result_of(sample), "k80", "formula1.0").table;
    CHECK(texts.at(table).at(next[table]++) == to_text(sample));
  }
  CHECK(warnings.all().empty());
}

TEST_CASE("what is wrong in a list of problems is told by row and column") {
  const tests::TemporaryFolder folder;
  Warnings warnings;
  const auto complaint = [&](const std::string& csv) {
    try {
      static_cast<void>(read_problem_list(folder.write("p.csv", csv), warnings));
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::bad_input);
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(complaint("batch,in_features,out_features,mode\n4,5,6,forward\n").empty());
  CHECK_THAT(complaint("batch,in_features,out_features,mode\n4,5,6,sideways\n"),
             Catch::EndsWith("p.csv: line 2: column 'mode': unknown value 'sideways'"));
  CHECK_THAT(complaint("batch,in_features,out_features\n4,,6\n"),
             Catch::EndsWith("line 2: column 'in_features' is empty"));
  CHECK_THAT(complaint("layer_kind,rows\nsausage,4\n"), Catch::Contains("no layer kind 'sausage'"));
  CHECK_THAT(complaint("colour\nred\n"), Catch::Contains("none of the kinds"));
  CHECK_THAT(complaint("batch,in_features,out_features\n"), Catch::EndsWith("has no rows"));
  CHECK_THAT(complaint("size_floats\n4\n"), Catch::Contains("are no single layers"));
}

TEST_CASE("a row is one line and back") {
  std::vector<SampleProblem> drawn;
  static_cast<void>(tables_of_problems(16, drawn));
  for (const SampleProblem& sample : drawn) {
    const SampleRow row = make_row(result_of(sample), "k80", "formula1.0");
    const std::string line = to_line(row);
    CHECK(line.find('\n') == std::string::npos);
    const SampleRow back = row_of_line(line);
    CHECK(back.index == row.index);
    CHECK(back.table == row.table);
    CHECK(back.fields == row.fields);
  }
  CHECK_THROWS_AS(row_of_line("{\"index\": 1}"), Error);
}

TEST_CASE("what could not be measured is a row with its reason") {
  std::vector<SampleProblem> drawn;
  static_cast<void>(tables_of_problems(1, drawn));
  const SampleRow row = make_row({.index = 1, .sample = drawn[0], .skipped = "out of memory"}, "k80", "s1");
  CHECK(row.table == "skipped");
  CHECK(row.fields.back().first == "skip_reason");
  CHECK(std::get<std::string>(row.fields.back().second) == "out of memory");
}

}  // namespace
}  // namespace layersim
