// A prediction as one HTML file: no script, nothing fetched, readable on paper. The charts are SVG within it.

#include <cmath>

#include "sim/report/facts.h"
#include "sim/report/html_page.h"
#include "sim/report/layer_chart.h"
#include "sim/report/layer_rows.h"
#include "sim/report/price_report.h"
#include "sim/report/readable_text.h"
#include "sim/report/report.h"
#include "sim/report/svg.h"
#include "sim/report/svg_chart.h"
#include "sim/report/xml_text.h"

namespace layersim {
namespace {

std::string tile(const std::string& what, const std::string& value, const std::string& note) {
  return "<div>" + xml_text(what) + "<b>" + xml_text(value) + "</b><small>" + xml_text(note) +
         "</small></div>\n";
}

std::string tiles(const RunReport& run) {
  std::string interval;
  if (run.batch_interval_ms) {
    interval = "90 % between " + duration(run.batch_interval_ms->low / 1000) + " and " +
               duration(run.batch_interval_ms->high / 1000);
  }
  std::string out = "<div class=\"tiles\">\n" + tile("batch", duration(run.batch_ms / 1000), interval);
  out += tile("epoch", duration(run.epoch_s),
              with_thousands(static_cast<double>(run.dataset_size)) + " samples" +
                  (run.dataset_size_is_default ? " (ImageNet-1k)" : ""));
  if (run.epochs > 1) {
    out +=
        tile("whole run", duration(run.total_s), with_thousands(static_cast<double>(run.epochs)) + " epochs");
  }
  if (run.price) {
    out += tile("cost", usd_text(run.cost_usd()) + " USD", "at " + hourly_price_text(*run.price));
  }
  out += tile("memory", with_thousands(run.memory.total_mib()) + " MiB",
              (run.memory.fits ? "fits in " : "does NOT fit in ") + with_thousands(run.memory.usable_mib) +
                  " usable");
  if (run.memory.max_batch) {
    out += tile("largest batch", with_thousands(static_cast<double>(*run.memory.max_batch)), "that fits");
  }
  return out + "</div>\n";
}

std::vector<BarPart> time_parts(const RunReport& run) {
  return {{"waiting for input", kGrey, run.input_wait_ms},
          {"overhead", kVermilion, run.overhead_ms},
          {"forward", kBlue, run.forward_ms},
          {"backward", kOrange, run.backward_ms},
          {"update", kGreen, run.optimizer_ms},
          {"communication", kPurple, run.communication_ms},
          {"other stages", kSkyBlue, run.bubble_ms}};
}

std::vector<BarPart> memory_parts(const MemoryReport& memory) {
  return {{"weights", kBlue, memory.weights_mib},       {"gradients", kOrange, memory.gradients_mib},
          {"optimizer", kGreen, memory.optimizer_mib},  {"activations", kSkyBlue, memory.activations_mib},
          {"workspace", kPurple, memory.workspace_mib}, {"context", kGrey, memory.context_mib}};
}

std::string cell(const std::string& text, bool is_number) {
  return (is_number ? "<td class=\"n\">" : "<td>") + xml_text(text) + "</td>";
}

std::string layer_table(const Report& report, const std::vector<LayerRow>& rows) {
  const bool training = report.run->mode == Mode::training;
  std::string out =
      "<div class=\"scroll\"><table><thead><tr><th>layer</th><th>kind</th><th>output</th>"
      "<th class=\"n\">parameters</th><th class=\"n\">MACs</th><th class=\"n\">forward ms</th>";
  if (training) out += "<th class=\"n\">backward ms</th><th class=\"n\">update ms</th>";
  out += "<th class=\"n\">share</th></tr></thead>\n<tbody>\n";
  for (const LayerRow& row : rows) {
    out += "<tr>" + cell(row.label, false) + cell(row.kind, false) + cell(row.output, false) +
           cell(row.params == 0 ? "" : with_thousands(row.params), true) +
           cell(row.macs == 0 ? "" : with_prefix(row.macs), true) + cell(short_number(row.forward_ms), true);
    if (training)
      out += cell(short_number(row.backward_ms), true) + cell(short_number(row.optimizer_ms), true);
    out +=
        cell(percent(report.run->batch_ms > 0 ? row.total_ms() / report.run->batch_ms : 0), true) + "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

}  // namespace

std::string to_html(const Report& report) {
  const RunReport& run = *report.run;
  const std::vector<LayerRow> rows = layer_rows(report, false);
  std::string out = html_head(report.network.file + " on " + run.gpu_name) + "<p>" +
                    xml_text(run_text(run, report.network.batch)) + "<br>" + xml_text(network_text(report)) +
                    "</p>\n";
  out += tiles(run);
  for (const std::string& warning : report.warnings)
    out += "<p class=\"warning\">" + xml_text(warning) + "</p>\n";
  out += "<h2>Where the time of a batch goes</h2>\n" + stacked_bar(time_parts(run), "ms", 0, "");
  out += "<h2>Memory</h2>\n" + stacked_bar(memory_parts(run.memory), "MiB", run.memory.usable_mib, "usable");
  out += "<h2>Layers</h2>\n" + layer_chart(report);
  if (rows.size() < report.layers.size()) {
    out += "<p>" + with_thousands(static_cast<double>(report.layers.size())) +
           " layers, summed up by block; --csv FILE writes each of them.</p>\n";
  }
  out += layer_table(report, rows);
  out += "<h2>What stands behind the numbers</h2>\n<p>" + xml_text(coverage_text(report)) +
         ".</p>\n<p>Method " + xml_text(run.method) + ": " + xml_text(run.method_statement) + ".</p>\n";
  return out + html_tail();
}

}  // namespace layersim
