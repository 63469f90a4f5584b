#pragma once
// A study in the format that was asked for.

#include <string>
#include <vector>

#include "sim/study/study.h"
#include "sim/web/api.h"

namespace layersim {

// `format`: "json", "csv" or "html"; the latter two are to be saved.
[[nodiscard]] ApiAnswer study_answer(const StudyRequest& request, const std::vector<NetworkStudy>& studies,
                                     const std::string& format);

}  // namespace layersim
