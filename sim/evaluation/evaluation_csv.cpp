#include <cmath>

#include "sim/core/csv_text.h"
#include "sim/evaluation/evaluation.h"

namespace layersim {

std::string evaluation_as_csv(const Evaluation& evaluation, const RowFiles& rows) {
  std::string text =
      "file,row,gpu,stack,precision,kind,mode,measured_ms,predicted_ms,low_ms,high_ms,linear_ms,roofline_ms,"
      "network,"
      "basis,inside_trained_range\n";
  std::size_t file = 0;
  for (const EvaluatedRow& row : evaluation.rows) {
    while (file + 1 < rows.files.size() && row.sample >= rows.files[file + 1].first_sample) ++file;
    const Sample& sample = rows.set.samples[row.sample];
    const RowPrediction& prediction = row.prediction;
    CsvLine line(text);
    line.add(rows.files[file].name);
    line.add(static_cast<double>(sample.row + 1));
    line.add(rows.set.devices[static_cast<std::size_t>(sample.device)].key);
    line.add(rows.set.stacks[static_cast<std::size_t>(sample.stack)]);
    line.add(name(sample.precision));
    line.add(sample.problem.kind->name);
    line.add(name(sample.pass));
    for (const double time_ms : {sample.time_ms, prediction.time_ms, prediction.interval_ms.low,
                                 prediction.interval_ms.high, row.linear_ms, row.roofline_ms}) {
      if (std::isnan(time_ms)) {
        line.add("");
      } else {
        line.add(time_ms);
      }
    }
    line.add(prediction.network);
    line.add(name(prediction.basis));
    line.add(prediction.inside_trained_range ? "1" : "0");
  }
  return text;
}

}  // namespace layersim
