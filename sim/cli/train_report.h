#pragma once
// What `layersim train` says of the networks that it trained: their errors on rows kept out.

#include <string>

#include "sim/core/json.h"
#include "sim/predictors/predictor_file.h"

namespace layersim {

// A row for each GPU and stack of a network, and one for all.
[[nodiscard]] std::string train_report_text(const PredictorFile& predictor);

// Errors are fractions; `runs_left_out` is what held_out_as_json gives for each kind of leaving out.
[[nodiscard]] std::string train_report_json(const PredictorFile& predictor, const Json& runs_left_out);

}  // namespace layersim
