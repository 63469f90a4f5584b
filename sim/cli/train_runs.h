#pragma once
// The part of `layersim train` that is about whole runs.

#include <string>
#include <vector>

#include "sim/core/json.h"
#include "sim/predictors/predictor_file.h"
#include "trainers/run_training.h"

namespace layersim {

struct RunFiles {
  std::string runs;  // table of measured runs
  std::uint64_t seed = 1;
};

// The runs of the table, and beside them some rows of the layers, and the layers that were timed within
// networks. Throws bad_input for a table without runs.
[[nodiscard]] RunSet read_run_set(const RunFiles& files, const SampleSet& layers, const SampleSet& operators);

// The trainer of run models. Throws bad_use when libtorch is not there.
[[nodiscard]] const RunTrainer& find_run_trainer();

// The run model of a predictor file becomes the predictor's; returns that file's sources. Throws bad_input
// when it has none.
[[nodiscard]] std::vector<std::string> take_run_model(const std::string& file, PredictorFile& predictor);

// One line that is written over on a terminal.
void show_run_progress(const std::string& what, const RunProgress& progress);

// Errors of runs on what was left out: table and JSON.
[[nodiscard]] std::string held_out_as_text(const RunSet& set, LeaveOut leave_out,
                                           const std::vector<HeldOutRun>& held_out);
[[nodiscard]] Json held_out_as_json(const RunSet& set, LeaveOut leave_out,
                                    const std::vector<HeldOutRun>& held_out);

}  // namespace layersim
