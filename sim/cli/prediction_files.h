#pragma once
// Files that a prediction is written to beside JSON and CSV: an HTML report, a trace, an annotated
// network, execution traces for network simulators.

#include <string>

#include "sim/cli/command_line.h"
#include "sim/report/report.h"

namespace layersim {

struct PredictionFiles {
  std::string html;  // empty: none, as the following
  std::string trace;
  std::string annotated;
  std::string chakra_prefix;
};

[[nodiscard]] options::options_description prediction_file_group();
[[nodiscard]] PredictionFiles read_prediction_files(const Arguments& arguments);
// `network` as the user named it. A network of the zoo or in text form is written as ONNX without weights
// first.
void write_prediction_files(const Report& report, const PredictionFiles& files, const std::string& network);

}  // namespace layersim
