#pragma once
// Pictures of a study: each an SVG that stands on its own.

#include <string>
#include <vector>

#include "sim/report/report.h"
#include "sim/study/study.h"

namespace layersim {

struct StudyPicture {
  std::string name;  // "time", for file names
  std::string caption;
  std::string svg;
};

// Time of an epoch and cost against batch, cost against time with the pareto front, memory by batch; and the
// layers of `fastest`, a prediction of the fastest choice (nullptr: none). Of many choices those that matter
// are drawn.
[[nodiscard]] std::vector<StudyPicture> study_pictures(const StudyRequest& request, const NetworkStudy& study,
                                                       const Report* fastest);

}  // namespace layersim
