#include "sim/core/csv_text.h"
#include "sim/report/study_report.h"

namespace layersim {

std::string study_csv_header() {
  return "network,choice,gpu,n_gpus,stack,batch,batch_ms,batch_ms_low,batch_ms_high,samples_per_s,epoch_s,"
         "total_s,"
         "memory_mib,fits,usd_per_hour,cost_usd,within_budget,within_deadline\n";
}

std::string study_csv(const StudyRequest& request, const NetworkStudy& study) {
  constexpr double kMib = 1024.0 * 1024.0;
  std::string text;
  for (const StudyCell& cell : study.cells) {
    const StudyChoice& choice = request.choices[cell.choice];
    CsvLine line(text);
    const auto add = [&](bool is_known, double number) {
      if (is_known) {
        line.add(number);
      } else {
        line.add("");
      }
    };
    const auto& interval = cell.step.interval_ms;
    line.add(study.network);
    line.add(choice.name);
    line.add(choice.device.key);
    line.add(static_cast<double>(choice.n_gpus));
    line.add(study.stack);
    line.add(static_cast<double>(cell.batch));
    line.add(cell.step.batch_ms());
    add(interval.has_value(), interval ? interval->low : 0);
    add(interval.has_value(), interval ? interval->high : 0);
    line.add(cell.samples_per_s());
    line.add(cell.epoch_s);
    line.add(cell.total_s);
    line.add(cell.memory.total_bytes() / kMib);
    line.add(cell.fits() ? "1" : "0");
    add(choice.price.has_value(), choice.price ? choice.price->usd : 0);
    add(cell.cost_usd.has_value(), cell.cost_usd.value_or(0));
    line.add(cell.within_budget ? "1" : "0");
    line.add(cell.within_deadline ? "1" : "0");
  }
  return text;
}

}  // namespace layersim
