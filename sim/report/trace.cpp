// The batch as a trace in the JSON form that Perfetto and chrome://tracing open ("Trace Event Format", Google
// 2016): a track for each pass, a slice for each layer. Times are micro-seconds, as the format has it.

#include "sim/core/json.h"
#include "sim/report/report.h"

namespace layersim {
namespace {

constexpr int kProcess = 1;
enum Track : int { kHost = 1, kForward, kBackward, kUpdate };

class Trace {
 public:
  explicit Trace(const Report& report) : report_(report) {}

  Json take() {
    const RunReport& run = *report_.run;
    name_tracks(run);
    slice(kHost, "waiting for input", run.input_wait_ms);
    slice(kHost, "overhead", run.overhead_ms);
    const std::vector<LayerReport>& layers = report_.layers;
    for (const LayerReport& layer : layers)
      slice(kForward, layer.name, layer.time.forward_ms, arguments(layer));
    for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
      slice(kBackward, layer->name, layer->time.backward_ms, arguments(*layer));
    }
    for (const LayerReport& layer : layers)
      slice(kUpdate, layer.name, layer.time.optimizer_ms, arguments(layer));
    slice(kHost, "communication", run.communication_ms);
    slice(kHost, "waiting for other stages", run.bubble_ms);
    return std::move(events_);
  }

 private:
  void name_tracks(const RunReport& run) {
    metadata("process_name", kHost, "layersim: " + report_.network.file + " on " + run.gpu);
    metadata("thread_name", kHost, "host");
    metadata("thread_name", kForward, "forward");
    if (run.mode == Mode::forward) return;
    metadata("thread_name", kBackward, "backward");
    metadata("thread_name", kUpdate, "update");
  }

  void metadata(const char* what, Track track, const std::string& text) {
    events_.push_back(
        {{"ph", "M"}, {"pid", kProcess}, {"tid", track}, {"name", what}, {"args", {{"name", text}}}});
  }

  static Json arguments(const LayerReport& layer) {
    Json arguments;
    arguments["kind"] = layer.kind.empty() ? Json("no model") : Json(layer.kind);
    arguments["op"] = layer.op;
    if (layer.output_shape) arguments["output"] = to_string(*layer.output_shape);
    arguments["forward MACs"] = layer.macs;
    arguments["runs a batch"] = layer.repeats;
    arguments["basis"] = name(layer.time.basis);
    return arguments;
  }

  // Slices follow each other; those that take no time are left out.
  void slice(Track track, const std::string& title, double ms, Json arguments = Json::object()) {
    if (ms <= 0) return;
    events_.push_back({{"ph", "X"},
                       {"pid", kProcess},
                       {"tid", track},
                       {"name", title},
                       {"ts", 1000 * now_ms_},
                       {"dur", 1000 * ms},
                       {"args", std::move(arguments)}});
    now_ms_ += ms;
  }

  const Report& report_;
  Json events_ = Json::array();
  double now_ms_ = 0;
};

}  // namespace

std::string to_trace(const Report& report) {
  Json json;
  json["displayTimeUnit"] = "ms";
  json["otherData"] = {{"network", report.network.file},
                       {"gpu", report.run->gpu},
                       {"batch", report.network.batch},
                       {"method", report.run->method}};
  json["traceEvents"] = Trace(report).take();
  // Names in a network file may be no UTF-8.
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace layersim
