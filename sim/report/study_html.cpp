// A study as one HTML page: no script, nothing fetched, readable on paper.

#include <cmath>

#include "sim/report/html_page.h"
#include "sim/report/readable_text.h"
#include "sim/report/study_report.h"
#include "sim/report/study_words.h"
#include "sim/report/xml_text.h"

namespace layersim {
namespace {

constexpr double kMib = 1024.0 * 1024.0;

std::string paragraph(const std::string& label, const std::string& text) {
  return "<p><b>" + xml_text(label) + "</b> " + xml_text(text) + "</p>\n";
}

std::string cell(const std::string& text, bool is_number) {
  return (is_number ? "<td class=\"n\">" : "<td>") + xml_text(text) + "</td>";
}

std::string row_table(const StudyRequest& request, const NetworkStudy& study) {
  std::string out =
      "<div class=\"scroll\"><table><thead><tr><th>hardware</th><th class=\"n\">batch</th>"
      "<th class=\"n\">batch ms</th><th class=\"n\">90 % between</th><th class=\"n\">samples/s</th>"
      "<th class=\"n\">epoch</th><th class=\"n\">all epochs</th><th class=\"n\">MiB</th><th "
      "class=\"n\">USD</th>"
      "<th></th></tr></thead>\n<tbody>\n";
  for (std::size_t row = 0; row < study.cells.size(); ++row) {
    const StudyCell& of_row = study.cells[row];
    const auto& interval = of_row.step.interval_ms;
    out += "<tr>" + cell(request.choices[of_row.choice].name, false) +
           cell(std::to_string(of_row.batch), true) + cell(short_number(of_row.step.batch_ms()), true) +
           cell(interval ? short_number(interval->low) + " - " + short_number(interval->high) : "", true) +
           cell(short_number(of_row.samples_per_s()), true) + cell(duration(of_row.epoch_s), true) +
           cell(duration(of_row.total_s), true) +
           cell(with_thousands(of_row.memory.total_bytes() / kMib), true) +
           cell(of_row.cost_usd ? usd_text(*of_row.cost_usd) : "", true) + cell(row_note(study, row), false) +
           "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

}  // namespace

std::string study_html_head(const StudyRequest& request) {
  std::string names;
  for (std::size_t i = 0; i < request.networks.size() && i < 3; ++i) {
    names += (i == 0 ? "" : ", ") + request.networks[i].name;
  }
  if (request.networks.size() > 3) names += " and " + std::to_string(request.networks.size() - 3) + " more";
  return html_head("Study of " + names);
}

std::string study_html_network(const StudyRequest& request, const NetworkStudy& study,
                               const std::vector<StudyPicture>& pictures) {
  std::string out = "<h2>" + xml_text(study.network) + "</h2>\n<p>" + xml_text(study_network_text(study)) +
                    "<br>" + xml_text(study_run_text(request, study)) + "</p>\n";
  if (study.fastest) {
    out += paragraph("Fastest:", outcome_text(request, study, *study.fastest));
  } else {
    out += paragraph("Choice:", why_nothing(study));
  }
  if (study.cheapest) out += paragraph("Cheapest:", outcome_text(request, study, *study.cheapest));
  for (const std::string& warning : study.warnings)
    out += "<p class=\"warning\">" + xml_text(warning) + "</p>\n";
  for (const StudyPicture& picture : pictures) {
    out += "<figure>" + picture.svg + "<figcaption>" + xml_text(picture.caption) + "</figcaption></figure>\n";
  }
  return out + row_table(request, study);
}

std::string study_html_tail(const StudyRequest& request) {
  std::string out = "<h2>Prices</h2>\n<ul>\n";
  for (const StudyChoice& choice : request.choices) {
    if (choice.price) out += "<li>" + xml_text(price_text(choice)) + "</li>\n";
  }
  for (const StudyChoice& choice : request.choices) {
    if (choice.purchase) out += "<li>to buy " + xml_text(purchase_text(choice)) + "</li>\n";
  }
  if (const std::string names = unpriced_names(request); !names.empty()) {
    out += "<li>no price is known of " + xml_text(names) + "</li>\n";
  }
  return out + "</ul>\n" + html_tail();
}

}  // namespace layersim
