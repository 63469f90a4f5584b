#include "sim/web/study_answer.h"

#include "sim/report/study_report.h"

namespace layersim {

ApiAnswer study_answer(const StudyRequest& request, const std::vector<NetworkStudy>& studies,
                       const std::string& format) {
  if (format == "csv") {
    std::string text = study_csv_header();
    for (const NetworkStudy& study : studies) text += study_csv(request, study);
    return {
        .status = 200, .type = "text/csv; charset=utf-8", .body = std::move(text), .file_name = "study.csv"};
  }
  if (format == "html") {
    std::string text = study_html_head(request);
    for (const NetworkStudy& study : studies) {
      text += study_html_network(request, study, study_pictures(request, study, nullptr));
    }
    text += study_html_tail(request);
    return {.status = 200,
            .type = "text/html; charset=utf-8",
            .body = std::move(text),
            .file_name = "study.html"};
  }
  return {.status = 200, .type = "application/json", .body = study_json(request, studies), .file_name = ""};
}

}  // namespace layersim
