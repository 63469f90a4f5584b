#pragma once
// A predictor held against measured rows: each row predicted, errors by GPU, layer kind and mode, baselines
// beside, and what could not be predicted counted by its reason. The formats stand beside this file, one a
// file.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/core/warnings.h"
#include "sim/evaluation/error_measures.h"
#include "sim/evaluation/row_prediction.h"
#include "sim/predictors/predictor_file.h"
#include "trainers/dataset.h"

namespace layersim {

// Measured rows of several files.
struct RowFiles {
  struct File {
    std::string name;
    std::size_t rows = 0;
    std::size_t first_sample = 0;        // its samples are those from here to the next file's
    std::vector<std::string> checksums;  // SHA-256 of the file and of those that a store was imported from
  };
  std::vector<File> files;
  SampleSet set;

  [[nodiscard]] std::size_t rows() const;
};
// Adds the rows of a store or CSV file. Throws bad_input, naming the file, also when it has no rows of
// layers.
void add_file(RowFiles& rows, const std::string& path, SampleUse use, Warnings& warnings);

struct EvaluatedRow {
  std::size_t sample = 0;  // index into SampleSet::samples
  RowPrediction prediction;
  double linear_ms = 0;  // NaN: too few rows for a line
  double roofline_ms = 0;
};

struct RowGroup {
  std::string gpu;  // these are empty in groups over all of them
  std::string kind;
  std::string mode;
  std::set<std::string> stacks;
  std::set<std::string> networks;  // that answered: "conv@tf"
  std::size_t estimated = 0;       // rows of which no measured rows are behind the answer
  std::size_t inside_trained_range = 0;
  ErrorMeasures predictor;
  ErrorMeasures linear;
  ErrorMeasures roofline;
};

struct Evaluation {
  PredictorProvenance provenance;
  std::string predictor_file;
  bool held_out = false;
  std::vector<EvaluatedRow> rows;
  std::vector<RowGroup> groups;  // by kind, mode and GPU
  std::vector<RowGroup> gpus;    // by kind and GPU
  std::vector<RowGroup> kinds;
  RowGroup overall;
  std::map<std::string, std::size_t> left_out;  // rows without a prediction, by the reason
  std::size_t seen_in_training = 0;             // rows left out since training saw them (held_out)
  std::vector<std::string> trained_on;          // files among the sources of the predictor
};

struct EvaluationOptions {
  std::vector<std::string> kinds;  // layer kinds or feature families; empty: all
  // Only rows of configurations that the predictor's own split kept out of its training. Throws bad_use when
  // the file does not tell its split.
  bool held_out = false;
};

// Throws nothing_predicted, with the reasons, when no row is left.
[[nodiscard]] Evaluation evaluate_rows(const PredictorFile& predictor, const RowFiles& rows,
                                       const EvaluationOptions& options);

[[nodiscard]] std::string evaluation_as_text(const Evaluation& evaluation, const RowFiles& rows,
                                             std::size_t width);
[[nodiscard]] std::string evaluation_as_json(const Evaluation& evaluation, const RowFiles& rows);
// A line a row: where it was measured, measured and predicted time, baselines.
[[nodiscard]] std::string evaluation_as_csv(const Evaluation& evaluation, const RowFiles& rows);
// Predicted against measured time, both axes logarithmic, a colour and a mark for each GPU.
[[nodiscard]] std::string scatter_as_svg(const Evaluation& evaluation, const RowFiles& rows);

}  // namespace layersim
