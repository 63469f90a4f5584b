// The HTML report, the trace and the texts for a network's nodes.

#include <catch2/catch.hpp>

#include "sim/core/json.h"
#include "sim/report/annotation.h"
#include "sim/report/layer_rows.h"
#include "sim/report/report.h"
#include "sim/report/svg_chart.h"

using namespace layersim;

namespace {

LayerReport layer(const std::string& name, double forward_ms, double backward_ms, double optimizer_ms) {
  LayerReport report;
  report.name = name;
  report.op = "Conv";
  report.kind = "conv";
  report.output = name + ":0";
  report.output_shape = Shape{4, 8};
  report.time = {.forward_ms = forward_ms,
                 .backward_ms = backward_ms,
                 .optimizer_ms = optimizer_ms,
                 .interval_ms = std::nullopt,
                 .inside_trained_range = false,
                 .basis = Basis::trained};
  return report;
}

Report training_report() {
  Report report;
  report.network.file = "net <b>.onnx";
  report.network.batch = 4;
  report.layers = {layer("first", 1, 2, 0.5), layer("<script>alert(\"1\")</script>", 3, 4, 0),
                   layer("last", 5, 6, 0.25)};
  RunReport& run = report.run.emplace();
  run.gpu = "k80";
  run.gpu_name = "Tesla K80";
  run.mode = Mode::training;
  run.optimizer = Optimizer::sgd;
  run.method = "layerwise";
  run.method_statement = "networks & more";
  run.forward_ms = 9;
  run.backward_ms = 12;
  run.optimizer_ms = 0.75;
  run.overhead_ms = 2;
  run.input_wait_ms = 1;
  run.batch_ms = 24.75;
  run.batch_interval_ms = Interval{20, 30};
  run.dataset_size = 1000;
  run.epoch_s = run.total_s = 6;
  run.memory.weights_mib = 100;
  run.memory.activations_mib = 400;
  run.memory.usable_mib = 300;
  run.memory.fits = false;
  report.warnings.push_back("mind <the> gap");
  return report;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

}  // namespace

TEST_CASE("the trace holds each pass of each layer once, one after the other, and adds up") {
  const Json json = Json::parse(to_trace(training_report()));
  double end_us = 0;
  double sum_us = 0;
  std::vector<std::string> names;
  for (const Json& event : json["traceEvents"]) {
    if (event["ph"] == "M") continue;
    CHECK(event["ph"] == "X");
    CHECK(event["ts"].get<double>() == Approx(end_us));
    end_us = event["ts"].get<double>() + event["dur"].get<double>();
    sum_us += event["dur"].get<double>();
    names.push_back(std::to_string(event["tid"].get<int>()) + ":" + event["name"].get<std::string>());
  }
  CHECK(sum_us == Approx(24750));
  const std::string middle = "<script>alert(\"1\")</script>";
  CHECK(names == std::vector<std::string>{"1:waiting for input", "1:overhead", "2:first", "2:" + middle,
                                          "2:last", "3:last", "3:" + middle, "3:first", "4:first", "4:last"});
  std::vector<std::string> tracks;
  for (const Json& event : json["traceEvents"]) {
    if (event["name"] == "thread_name") tracks.push_back(event["args"]["name"]);
  }
  CHECK(tracks == std::vector<std::string>{"host", "forward", "backward", "update"});
}

TEST_CASE("a trace of a forward pass has no other tracks, and takes any name") {
  Report report = training_report();
  report.run->mode = Mode::forward;
  report.layers = {layer("bad \xff utf", 1, 0, 0)};
  const std::string text = to_trace(report);
  CHECK(text.find("\"backward\"") == std::string::npos);
  CHECK(Json::parse(text)["traceEvents"].is_array());
}

TEST_CASE("the HTML report tells all parts, fetches nothing and takes names for text") {
  std::string html = to_html(training_report());
  CHECK(html.starts_with("<!DOCTYPE html>"));
  // The name of SVG's vocabulary is no address that anything is fetched from.
  const std::string vocabulary = " xmlns=\"http://www.w3.org/2000/svg\"";
  while (html.find(vocabulary) != std::string::npos) html.erase(html.find(vocabulary), vocabulary.size());
  CHECK(html.ends_with("</html>\n"));
  for (const char* never : {"<script", "http:", "https:", "//", "<b>.onnx", "<the>", "url(", "@import"}) {
    INFO(never);
    CHECK(html.find(never) == std::string::npos);
  }
  for (const char* part :
       {"net &lt;b&gt;.onnx", "mind &lt;the&gt; gap", "networks &amp; more",
        "&lt;script&gt;alert(&quot;1&quot;)", "24.8 ms", "90 % between", "does NOT fit in 300 usable",
        "waiting for input", "overhead", "forward", "backward", "update", "weights", "activations",
        "usable 300 MiB", "1,000 samples", "layerwise"}) {
    INFO(part);
    CHECK(html.find(part) != std::string::npos);
  }
  for (const char* tag : {"svg", "table", "div", "g", "p", "style", "tr", "title"}) {
    INFO(tag);
    const std::string name = tag;
    CHECK(count(html, "<" + name + ">") + count(html, "<" + name + " ") == count(html, "</" + name + ">"));
  }
}

TEST_CASE("an HTML report of a long network sums up blocks, that of a forward pass has no other columns") {
  Report report = training_report();
  report.layers.clear();
  for (int i = 0; i < 100; ++i) {
    report.layers.push_back(
        layer("block" + std::to_string(i / 10) + ".conv" + std::to_string(i % 10), 1, 1, 0));
  }
  report.run->mode = Mode::forward;
  const std::string html = to_html(report);
  CHECK(html.find("100 layers, summed up by block") != std::string::npos);
  CHECK(html.find("10 layers") != std::string::npos);
  CHECK(html.find("backward ms") == std::string::npos);
  CHECK(layer_rows(report, false).size() == 10);
  CHECK(layer_rows(report, true).size() == 100);
}

TEST_CASE("bars are as long as their numbers") {
  const std::string bar = stacked_bar({{"a", "#000", 1}, {"none", "#111", 0}, {"b", "#222", 3}}, "ms", 0, "");
  CHECK(bar.find("x=\"0.00\" y=\"2.00\" width=\"239.50\"") != std::string::npos);
  CHECK(bar.find("x=\"239.50\" y=\"2.00\" width=\"718.50\"") != std::string::npos);
  CHECK(bar.find("#111") == std::string::npos);
  CHECK(bar.find("class=\"limit\"") == std::string::npos);
  // The limit is longer than the bar: the bar takes its share of it.
  const std::string limited = stacked_bar({{"a", "#000", 25}}, "MiB", 100, "usable");
  CHECK(limited.find("width=\"239.50\"") != std::string::npos);
  CHECK(limited.find("x1=\"958.00\"") != std::string::npos);
  CHECK(stacked_bar({}, "ms", 0, "").find("nan") == std::string::npos);
  const BarChart chart{.title = "bars", .unit = "ms", .rows = {{"zero", "0 ms", {{"a", "#000", 0}}}}};
  CHECK(bar_chart(chart).find("nan") == std::string::npos);
}

TEST_CASE("notes for nodes: layers of one node together, shares of the batch") {
  Report report = training_report();
  report.layers = {layer("attention.qkv", 1, 2, 0.5), layer("attention.scores", 2, 1, 0),
                   layer("odd", 0, 0, 0)};
  report.layers[0].output.clear();
  report.layers[1].output = "y";
  report.layers[1].activation = "softmax";
  report.layers[2].kind.clear();
  report.layers[2].op = "Magic";
  report.layers[2].time.basis = Basis::none;
  const std::vector<NodeNote> notes = node_notes(report);
  REQUIRE(notes.size() == 2);
  CHECK(notes[0].node == "attention.qkv");
  CHECK(notes[0].output == "y");
  CHECK(notes[0].text ==
        "layersim (k80): conv, conv+softmax, 6.50 ms = forward 3.00 + backward 3.00 + update 0.500, 26 % of "
        "the "
        "batch");
  CHECK(notes[1].text == "layersim (k80): no model of Magic, time not known");
  CHECK(graph_note(report).find("24.8 ms (90 % between 20.0 and 30.0)") != std::string::npos);
}
