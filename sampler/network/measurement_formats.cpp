#include "sampler/network/measurement_formats.h"

#include <algorithm>

#include "sim/core/csv_text.h"
#include "sim/core/json.h"
#include "sim/report/readable_text.h"
#include "sim/report/text_table.h"

namespace layersim {
namespace {

constexpr std::size_t kIndent = 10;

std::string threads_text(int threads) {
  return std::to_string(threads) + (threads == 1 ? " thread" : " threads");
}

std::string layer_table(const NetworkMeasurement& measurement, int width) {
  TextTable table({{.header = "layer", .shrinks = true},
                   {.header = "kind", .importance = 2},
                   {.header = "forward ms", .right = true},
                   {.header = "backward ms", .right = true},
                   {.header = "update ms", .right = true, .importance = 1},
                   {.header = "share", .right = true}});
  table.add_rule();
  double sum_ms = measurement.other_ms;
  for (const LayerTime& layer : measurement.layers) sum_ms += layer.total_ms();
  for (const LayerTime& layer : measurement.layers) {
    table.add_row({printable(layer.name), layer.kind, short_number(layer.time.forward_ms),
                   short_number(layer.time.backward_ms), short_number(layer.time.optimizer_ms),
                   percent(layer.total_ms() / sum_ms)});
  }
  table.add_rule();
  return table.to_text(static_cast<std::size_t>(width)) + '\n' +
         labelled_text("layers",
                       "sum " + short_number(sum_ms) + " ms, of which " + short_number(measurement.other_ms) +
                           " ms in views and other nodes that are no layers; each with a clock of its own",
                       kIndent, static_cast<std::size_t>(width));
}

}  // namespace

std::string measurement_table(const NetworkMeasurement& measurement, const RunLabels& run, int width) {
  const NetworkRunSettings& settings = measurement.settings;
  const Timing& batch = measurement.batch;
  const auto line = [width](std::string_view label, const std::string& text) {
    return labelled_text(label, text, kIndent, static_cast<std::size_t>(width));
  };
  const std::string mode = settings.mode == Mode::training
                               ? "training step with optimizer " + std::string(name(settings.optimizer))
                               : "forward pass";
  std::string text = run.network + '\n';
  text += line("run", settings.device + ", batch " + std::to_string(run.batch) + ", " + mode + ", " +
                          std::string(name(measurement.precision)) + ", " + threads_text(settings.threads));
  text += line("library", "libtorch " + measurement.library.version + ", " + measurement.library.products);
  if (!measurement.layers.empty()) text += '\n' + layer_table(measurement, width);
  text += line("batch", short_number(batch.median_ms) + " ms (median of " +
                            std::to_string(batch.repetitions) + " repetitions of " +
                            std::to_string(batch.calls) + " batches; " + short_number(batch.min_ms) + " to " +
                            short_number(batch.max_ms) + ", spread " + percent(batch.spread()) + ")");
  return text;
}

std::string measurement_json(const NetworkMeasurement& measurement, const RunLabels& run) {
  const NetworkRunSettings& settings = measurement.settings;
  const Timing& batch = measurement.batch;
  Json json{{"schema_version", 1},
            {"network", run.network},
            {"device", settings.device},
            {"stack", measurement.library.stack},
            {"library_version", measurement.library.version},
            {"library_products", measurement.library.products},
            {"threads", settings.threads},
            {"seed", settings.seed},
            {"date", run.date},
            {"precision", name(measurement.precision)},
            {"mode", name(settings.mode)},
            {"optimizer", name(settings.optimizer)},
            {"batch", run.batch},
            {"batch_ms", batch.median_ms},
            {"batch_ms_min", batch.min_ms},
            {"batch_ms_max", batch.max_ms},
            {"spread", batch.spread()},
            {"repetitions", batch.repetitions},
            {"batches_in_repetition", batch.calls}};
  if (!run.gpu.empty()) json["gpu"] = run.gpu;
  if (!measurement.layers.empty()) {
    Json layers = Json::array();
    for (const LayerTime& layer : measurement.layers) {
      layers.push_back({{"name", layer.name},
                        {"kind", layer.kind},
                        {"forward_ms", layer.time.forward_ms},
                        {"backward_ms", layer.time.backward_ms},
                        {"optimizer_ms", layer.time.optimizer_ms}});
    }
    json["layers"] = std::move(layers);
    json["other_ms"] = measurement.other_ms;
  }
  return json.dump(2) + '\n';
}

std::string run_header() {
  return "network,gpu,stack,precision,mode,optimizer,n_gpus,batch,dim,input,measured_ms,measured_ms_min,"
         "measured_ms_max,threads,library,date,layer_times\n";
}

std::string run_row(const NetworkMeasurement& measurement, const RunLabels& run) {
  std::string text;
  {
    CsvLine line(text);
    for (const std::string_view field :
         {std::string_view(run.network), std::string_view(run.gpu),
          std::string_view(measurement.library.stack), name(measurement.precision),
          name(measurement.settings.mode), name(measurement.settings.optimizer), std::string_view("1")}) {
      line.add(field);
    }
    line.add(static_cast<double>(run.batch));
    line.add(run.dim);
    line.add(run.input);
    line.add(measurement.batch.median_ms);
    line.add(measurement.batch.min_ms);
    line.add(measurement.batch.max_ms);
    line.add(static_cast<double>(measurement.settings.threads));
    line.add(measurement.library.version + ", " + measurement.library.products);
    line.add(run.date);
    line.add(run.layer_times);
  }
  return text;
}

std::string layer_times_csv(const NetworkMeasurement& measurement) {
  std::string text = "layer,kind,measured_ms,forward_ms,backward_ms,optimizer_ms\n";
  for (const LayerTime& layer : measurement.layers) {
    CsvLine line(text);
    line.add(layer.name);
    line.add(layer.kind);
    line.add(layer.total_ms());
    line.add(layer.time.forward_ms);
    line.add(layer.time.backward_ms);
    line.add(layer.time.optimizer_ms);
  }
  return text;
}

}  // namespace layersim
