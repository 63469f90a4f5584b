#include "sim/core/csv_text.h"
#include "sim/report/validation_report.h"

namespace layersim {

std::string validation_csv(const Validation& validation) {
  std::string text;
  {
    CsvLine header(text);
    for (const std::string& column : validation.table.columns) header.add(column);
    for (const char* column : {"predicted_ms", "low_ms", "high_ms", "ape", "not_predicted"})
      header.add(column);
  }
  for (const RunResult& result : validation.results) {
    CsvLine line(text);
    for (const std::string& field : validation.run_of(result).row) line.add(field);
    const auto add = [&](bool is_known, double number) {
      if (is_known) {
        line.add(number);
      } else {
        line.add("");
      }
    };
    const bool has_interval = result.interval_ms.has_value();
    add(result.is_predicted(), result.predicted_ms);
    add(has_interval, has_interval ? result.interval_ms->low : 0);
    add(has_interval, has_interval ? result.interval_ms->high : 0);
    add(result.is_predicted(), result.ape);
    line.add(result.not_predicted);
  }
  return text;
}

}  // namespace layersim
