#include "sim/report/layer_chart.h"

#include "sim/report/layer_rows.h"
#include "sim/report/readable_text.h"
#include "sim/report/svg.h"
#include "sim/report/svg_chart.h"

namespace layersim {

std::string layer_chart(const Report& report) {
  const RunReport& run = *report.run;
  BarChart chart{.title = "Layers of " + printable(report.network.file) + " on " + run.gpu_name +
                          " at batch " + std::to_string(report.network.batch),
                 .unit = "ms",
                 .rows = {}};
  for (const LayerRow& row : layer_rows(report, false)) {
    chart.rows.push_back({row.label,
                          short_number(row.total_ms()) + " ms",
                          {{"forward", kBlue, row.forward_ms},
                           {"backward", kOrange, row.backward_ms},
                           {"update", kGreen, row.optimizer_ms}}});
  }
  return bar_chart(chart);
}

}  // namespace layersim
