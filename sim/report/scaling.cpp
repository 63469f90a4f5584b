#include "sim/report/scaling.h"

#include "sim/core/csv_text.h"
#include "sim/core/json.h"
#include "sim/report/readable_text.h"
#include "sim/report/text_table.h"

namespace layersim {

void add_point(ScalingCurve& curve, const Report& report) {
  const RunReport& run = report.run.value();
  if (curve.points.empty()) {
    curve.network = report.network.file;
    curve.run = run;
    curve.warnings = report.warnings;
  }
  ScalingPoint point;
  point.n_gpus = run.n_gpus;
  if (run.parallel) {
    point.nodes = run.parallel->nodes;
    point.interconnect = run.parallel->interconnect;
  }
  point.batch = report.network.batch;
  point.batch_ms = run.batch_ms;
  point.communication_ms = run.communication_ms;
  point.bubble_ms = run.bubble_ms;
  point.samples_per_s = 1000 * static_cast<double>(point.batch) / run.batch_ms;
  point.epoch_s = run.epoch_s;
  point.memory_mib = run.memory.total_mib();
  point.fits = run.memory.fits;
  if (!curve.points.empty()) {
    const ScalingPoint& first = curve.points.front();
    point.efficiency = point.samples_per_s / point.n_gpus / (first.samples_per_s / first.n_gpus);
  }
  curve.points.push_back(std::move(point));
}

std::string scaling_table(const ScalingCurve& curve, std::size_t width) {
  std::string text = printable(curve.network) + '\n';
  text +=
      labelled_text("run",
                    curve.run.gpu_name + " (" + curve.run.gpu + "), " + std::string(name(curve.run.mode)) +
                        ", " + std::string(name(curve.run.precision)) +
                        (curve.run.stack.empty() ? "" : ", " + curve.run.stack),
                    10, width) +
      '\n';
  TextTable table({{.header = "GPUs", .right = true},
                   {.header = "hosts", .right = true},
                   {.header = "batch", .right = true},
                   {.header = "batch ms", .right = true},
                   {.header = "communication ms", .right = true, .importance = 2},
                   {.header = "samples/s", .right = true},
                   {.header = "efficiency", .right = true},
                   {.header = "epoch", .right = true},
                   {.header = "memory MiB", .right = true, .importance = 3},
                   {.header = "interconnect", .importance = 1}});
  table.add_rule();
  for (const ScalingPoint& point : curve.points) {
    table.add_row({with_thousands(point.n_gpus), with_thousands(point.nodes),
                   with_thousands(static_cast<double>(point.batch)), short_number(point.batch_ms),
                   short_number(point.communication_ms), with_thousands(point.samples_per_s),
                   percent(point.efficiency), duration(point.epoch_s),
                   with_thousands(point.memory_mib) + (point.fits ? "" : " TOO MUCH"), point.interconnect});
  }
  text += table.to_text(width);
  for (const std::string& warning : curve.warnings)
    text += labelled_text("warning", printable(warning), 10, width);
  return text;
}

std::string scaling_json(const ScalingCurve& curve) {
  Json json;
  json["schema_version"] = 1;
  json["network"] = curve.network;
  json["gpu"] = curve.run.gpu;
  json["mode"] = name(curve.run.mode);
  json["precision"] = name(curve.run.precision);
  json["stack"] = curve.run.stack.empty() ? Json(nullptr) : Json(curve.run.stack);
  json["method"] = curve.run.method;
  Json& points = json["points"] = Json::array();
  for (const ScalingPoint& point : curve.points) {
    points.push_back({{"n_gpus", point.n_gpus},
                      {"nodes", point.nodes},
                      {"batch", point.batch},
                      {"batch_ms", point.batch_ms},
                      {"communication_ms", point.communication_ms},
                      {"bubble_ms", point.bubble_ms},
                      {"samples_per_s", point.samples_per_s},
                      {"efficiency", point.efficiency},
                      {"epoch_s", point.epoch_s},
                      {"memory_mib", point.memory_mib},
                      {"fits", point.fits},
                      {"interconnect", point.interconnect}});
  }
  json["warnings"] = curve.warnings;
  // Names in a network file may be no UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string scaling_csv(const ScalingCurve& curve) {
  std::string text;
  {
    CsvLine header(text);
    for (const char* column : {"network", "gpu", "n_gpus", "nodes", "batch", "batch_ms", "communication_ms",
                               "bubble_ms", "samples_per_s", "efficiency", "epoch_s", "memory_mib", "fits"})
      header.add(column);
  }
  for (const ScalingPoint& point : curve.points) {
    CsvLine line(text);
    line.add(curve.network);
    line.add(curve.run.gpu);
    line.add(static_cast<double>(point.n_gpus));
    line.add(static_cast<double>(point.nodes));
    line.add(static_cast<double>(point.batch));
    for (const double number : {point.batch_ms, point.communication_ms, point.bubble_ms, point.samples_per_s,
                                point.efficiency, point.epoch_s, point.memory_mib})
      line.add(number);
    line.add(point.fits ? "1" : "0");
  }
  return text;
}

}  // namespace layersim
