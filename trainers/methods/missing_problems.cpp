// The convolutions that a store lacks, as CSV.

#include <array>
#include <set>

#include "sim/core/csv_text.h"
#include "trainers/methods/hybrid_steps.h"

namespace layersim {
namespace {

struct NamedColumn {
  const char* column;
  const char* parameter;
};
constexpr std::array kColumns{NamedColumn{"batch", "batch"},
                              NamedColumn{"in_channels", "in_channels"},
                              NamedColumn{"out_channels", "out_channels"},
                              NamedColumn{"groups", "groups"},
                              NamedColumn{"bias", "bias"},
                              NamedColumn{"input_h", "in_h"},
                              NamedColumn{"input_w", "in_w"},
                              NamedColumn{"kernel_h", "kernel_h"},
                              NamedColumn{"kernel_w", "kernel_w"},
                              NamedColumn{"stride_h", "stride_h"},
                              NamedColumn{"stride_w", "stride_w"},
                              NamedColumn{"dilation_h", "dilation_h"},
                              NamedColumn{"dilation_w", "dilation_w"},
                              NamedColumn{"pad_h", "pad_begin_h"},
                              NamedColumn{"pad_w", "pad_begin_w"}};

bool can_be_told(const Problem& problem) {
  return problem.size("in_d") == 1 && problem.size("kernel_d") == 1 &&
         problem.size("pad_begin_h") == problem.size("pad_end_h") &&
         problem.size("pad_begin_w") == problem.size("pad_end_w");
}

std::string line_of(const MissingConv& conv) {
  std::string text;
  {
    CsvLine line(text);
    for (const NamedColumn& column : kColumns)
      line.add(static_cast<double>(conv.problem.size(column.parameter)));
    line.add("none");  // activation: a layer of its own here
    line.add(name(conv.mode));
    line.add("none");  // optimizer: the update belongs to the rest
    line.add(name(conv.precision));
  }
  return text;
}

}  // namespace

ProblemList list_missing(const std::vector<HybridStep>& steps) {
  ProblemList list;
  {
    CsvLine header(list.csv);
    for (const NamedColumn& column : kColumns) header.add(column.column);
    for (const char* column : {"activation", "mode", "optimizer", "precision"}) header.add(column);
  }
  std::set<std::string> told;
  std::set<std::vector<std::int64_t>> not_told;
  for (const HybridStep& step : steps) {
    for (const MissingConv& conv : step.missing) {
      if (!can_be_told(conv.problem)) {
        not_told.insert(conv.problem.sizes);
      } else if (const std::string line = line_of(conv); told.insert(line).second) {
        list.csv += line;
      }
    }
  }
  list.problems = told.size();
  list.not_told = not_told.size();
  return list;
}

}  // namespace layersim
