#pragma once
// What the formats of a study for people say alike.

#include <string>

#include "sim/study/study.h"

namespace layersim {

// "k80 at batch 64"
[[nodiscard]] std::string cell_name(const StudyRequest& request, const StudyCell& cell);
// "fastest, best batch", "does NOT fit"; empty: nothing to say of the row.
[[nodiscard]] std::string row_note(const NetworkStudy& study, std::size_t row);
[[nodiscard]] std::string outcome_text(const StudyRequest& request, const NetworkStudy& study,
                                       std::size_t row);
// Why no row can be chosen.
[[nodiscard]] std::string why_nothing(const NetworkStudy& study);
[[nodiscard]] std::string study_run_text(const StudyRequest& request, const NetworkStudy& study);
[[nodiscard]] std::string study_network_text(const NetworkStudy& study);
// Of choices with a price and with a purchase.
[[nodiscard]] std::string price_text(const StudyChoice& choice);
[[nodiscard]] std::string purchase_text(const StudyChoice& choice);
// Of the choices without a price; empty: all have one.
[[nodiscard]] std::string unpriced_names(const StudyRequest& request);

}  // namespace layersim
