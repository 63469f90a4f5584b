#pragma once
// What-if studies in every format. A study of many networks is written network by network, so that it need
// not fit in memory.

#include <span>
#include <string>

#include "sim/report/study_charts.h"
#include "sim/study/study.h"

namespace layersim {

struct StudyTableOptions {
  int width = 100;
  bool all_rows = false;  // else of a long table the best batch of each choice
};

// Text for reading: rows, what to choose, prices with their age, warnings.
[[nodiscard]] std::string study_table(const StudyRequest& request, const NetworkStudy& study,
                                      const StudyTableOptions& options);

// Keys are stable; costs and intervals that are not known are null. `rows` of a network are choice by choice
// with all batches; fastest, cheapest, pareto and best_batches hold indices of rows.
[[nodiscard]] std::string study_json(const StudyRequest& request, std::span<const NetworkStudy> studies);
// The same in pieces: the head, the networks with the separator between, the tail.
[[nodiscard]] std::string study_json_head(const StudyRequest& request);
[[nodiscard]] std::string study_json_network(const StudyRequest& request, const NetworkStudy& study);
inline constexpr std::string_view kStudyJsonSeparator = ",\n";
inline constexpr std::string_view kStudyJsonTail = "\n]}\n";

// One line for each network, choice and batch; the header line stands apart.
[[nodiscard]] std::string study_csv_header();
[[nodiscard]] std::string study_csv(const StudyRequest& request, const NetworkStudy& study);

// An HTML page that needs nothing beside it, in pieces: the head, a section for each network, the tail.
[[nodiscard]] std::string study_html_head(const StudyRequest& request);
[[nodiscard]] std::string study_html_network(const StudyRequest& request, const NetworkStudy& study,
                                             const std::vector<StudyPicture>& pictures);
[[nodiscard]] std::string study_html_tail(const StudyRequest& request);

}  // namespace layersim
