#include <catch2/catch.hpp>
#include <sstream>

#include "sim/core/json.h"
#include "sim/report/blocks.h"
#include "sim/report/readable_text.h"
#include "sim/report/report.h"

using namespace layersim;

namespace {

LayerReport layer(std::string name, std::string kind, double macs, double forward_ms) {
  LayerReport report;
  report.name = std::move(name);
  report.op = kind == "conv" ? "Conv" : "MysteryOp";
  report.kind = std::move(kind);
  report.output_shape = Shape{4, 8, 16, 16};
  report.params = 1000;
  report.weight_bytes = 4000;
  report.macs = macs;
  report.flop = 2 * macs;
  report.bytes = 1e6;
  report.time.forward_ms = forward_ms;
  report.time.backward_ms = 2 * forward_ms;
  report.time.optimizer_ms = 0.5;
  report.time.basis = Basis::roofline;
  return report;
}

Report predicted_report() {
  Report report;
  report.network.file = "net,1.onnx";
  report.network.params = 2000;
  report.network.weight_bytes = 8000;
  report.network.macs_min = report.network.macs_max = 4e9;
  report.network.batch = 4;
  report.network.inputs.push_back({"x", Shape{4, 3, 32, 32}});
  report.network.outputs.push_back({"y", Shape{4, kUnknownDim}});
  report.layers.push_back(layer("stage1.conv", "conv", 4e9, 10));
  report.layers.back().parameters = {{"kernel_h", 3}, {"groups", 1}};
  report.layers.back().activation = "relu";
  report.layers.push_back(layer("odd \"name\"\n", "", 0, 2));
  report.layers.back().unmodelled_reason = "no model of MysteryOp";
  report.layers.back().output_shape.reset();
  report.coverage = {
      .layers = 2, .modelled = 1, .macs_share = 1, .bytes_share = 0.5, .inside_trained_range = 0};
  RunReport& run = report.run.emplace();
  run.gpu = "k80";
  run.gpu_name = "Tesla K80";
  run.gpu_memory_gib = 12;
  run.optimizer = Optimizer::adam;
  run.method = "roofline";
  run.method_statement = "roofline: a bound";
  run.forward_ms = 12;
  run.backward_ms = 24;
  run.optimizer_ms = 1;
  run.overhead_ms = 3;
  run.batch_ms = 40;
  run.dataset_size = 1000;
  run.epochs = 2;
  run.epoch_s = 10;
  run.total_s = 20;
  run.memory = {.weights_mib = 1,
                .gradients_mib = 2,
                .optimizer_mib = 3,
                .activations_mib = 4,
                .workspace_mib = 0,
                .context_mib = 5,
                .usable_mib = 11000,
                .fits = true,
                .max_batch = std::nullopt};
  report.warnings.push_back("mind the gap");
  return report;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("JSON of predict has the keys of the contract, and its parts add up") {
  const Json json = Json::parse(to_json(predicted_report()));
  for (const char* key :
       {"schema_version", "network",    "gpu",         "batch",        "mode",        "optimizer",
        "precision",      "stack",      "n_gpus",      "method",       "batch_ms",    "batch_ms_low",
        "batch_ms_high",  "forward_ms", "backward_ms", "optimizer_ms", "overhead_ms", "epoch_s",
        "dataset_size",   "total_s",    "cost_usd",    "memory_mib",   "fits",        "coverage",
        "layers",         "warnings"}) {
    INFO(key);
    CHECK(json.contains(key));
  }
  CHECK(json["network"]["params"] == 2000);
  CHECK(json["network"]["macs_per_sample"] == 1'000'000'000);
  CHECK(json["network"]["macs_per_sample"].is_number_integer());
  CHECK(json["optimizer"] == "adam");
  CHECK(json["batch_ms"].get<double>() ==
        Approx(json["forward_ms"].get<double>() + json["backward_ms"].get<double>() +
               json["optimizer_ms"].get<double>() + json["overhead_ms"].get<double>()));
  CHECK(json["communication_ms"] == 0);
  CHECK(json["parallel"].is_null());
  double memory = 0;
  for (const auto& [key, value] : json["memory_mib"].items())
    memory += key == "total" ? 0 : value.get<double>();
  CHECK(json["memory_mib"]["total"].get<double>() == Approx(memory));
  CHECK(json["coverage"]["bytes_share"] == 0.5);
  CHECK(json["warnings"] == Json::array({"mind the gap"}));

  const Json& first = json["layers"][0];
  for (const char* key : {"index", "name", "kind", "op", "output_shape", "params", "macs", "forward_ms",
                          "backward_ms", "optimizer_ms", "inside_trained_range"}) {
    INFO(key);
    CHECK(first.contains(key));
  }
  CHECK(first["output_shape"] == Json::array({4, 8, 16, 16}));
  CHECK(first["parameters"]["kernel_h"] == 3);
  CHECK(first["basis"] == "roofline");
  const Json& second = json["layers"][1];
  CHECK(second["kind"].is_null());
  CHECK(second["output_shape"].is_null());
  CHECK(second["unmodelled_reason"] == "no model of MysteryOp");
}

TEST_CASE("JSON of show has no times, and a range where a branch decides") {
  Report report = predicted_report();
  report.run.reset();
  Json json = Json::parse(to_json(report));
  CHECK(json["macs"] == 4'000'000'000);
  CHECK(json["params"] == 2000);
  CHECK(json["weight_bytes"] == 8000);
  CHECK(json["inputs"][0] == Json{{"name", "x"}, {"shape", {4, 3, 32, 32}}});
  CHECK(json["outputs"][0]["shape"][1].is_null());
  CHECK(json["unmodelled"] == Json::array({"MysteryOp"}));
  CHECK_FALSE(json["layers"][0].contains("forward_ms"));
  report.network.macs_min = 1e9;
  json = Json::parse(to_json(report));
  CHECK_FALSE(json.contains("macs"));
  CHECK(json["macs_min"] == 1'000'000'000);
  CHECK(json["macs_max"] == 4'000'000'000);
}

TEST_CASE("an activation fused into a layer is a row of its own without a time of its own") {
  Report report = predicted_report();
  report.layers[0].fused = {"stage1.relu", "Relu"};
  report.layers[0].time.interval_ms = Interval{8, 50};
  report.layers[0].time.inside_trained_range = true;
  report.coverage.layers = 3;
  report.coverage.fused = 1;
  const Json json = Json::parse(to_json(report));
  CHECK(json["network"]["layers"] == 3);
  REQUIRE(json["layers"].size() == 3);
  double forward_ms = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(json["layers"][i]["index"] == i);
    forward_ms += json["layers"][i]["forward_ms"].get<double>();
  }
  CHECK(forward_ms == report.run->forward_ms);
  const Json& fused = json["layers"][1];
  CHECK(fused["name"] == "stage1.relu");
  CHECK(fused["kind"] == "activation");
  CHECK(fused["op"] == "Relu");
  CHECK(fused["fused_into"] == 0);
  CHECK(fused["output_shape"] == json["layers"][0]["output_shape"]);
  CHECK(fused["macs"] == 0);
  CHECK(fused["forward_ms"] == 0);
  CHECK(fused["low_ms"] == 0);
  CHECK(fused["inside_trained_range"] == true);
  CHECK_FALSE(json["layers"][0].contains("fused_into"));
  const std::vector<std::string> lines = lines_of(to_csv(report));
  CHECK(lines.at(2) == "1,stage1.relu,activation,Relu,4x8x16x16,0,0,1,0,0,0,,,0,0,0,0,0,0,1,roofline,");
  CHECK(lines.at(3).starts_with("2,"));
  // The table has one row for both and says so.
  const std::string table = to_table(report, {});
  CHECK(table.find("conv+relu") != std::string::npos);
  CHECK(table.find("stage1.relu") == std::string::npos);
  CHECK(table.find("3 layers (1 of them activations in other rows)") != std::string::npos);
}

TEST_CASE("JSON survives names that are no UTF-8") {
  Report report = predicted_report();
  report.layers[0].name = "conv\xff";
  CHECK_NOTHROW(Json::parse(to_json(report)));
}

TEST_CASE("CSV has a line a layer, quoted where needed, with numbers that read back") {
  Report report = predicted_report();
  const std::string text = to_csv(report);
  CHECK(text.starts_with(
      "index,name,kind,op,output_shape,params,weight_bytes,repeats,macs,flop,bytes,parameters,"
      "unmodelled_reason,fused_into,forward_ms,backward_ms,optimizer_ms,low_ms,high_ms,"
      "inside_trained_range,basis,bound_by\n"
      "0,stage1.conv,conv,Conv,4x8x16x16,1000,4000,1,4000000000,8000000000,1000000,"
      "kernel_h=3 groups=1 activation=relu,,,10,20,0.5,,,0,roofline,\n"));
  CHECK(text.find("\"odd \"\"name\"\"\n\"") != std::string::npos);
  report.run.reset();
  CHECK(lines_of(to_csv(report))[0].ends_with("unmodelled_reason,fused_into"));
}

TEST_CASE("the table says all that matters and fits the width") {
  const Report report = predicted_report();
  for (const int width : {60, 80, 100, 160}) {
    const std::string table = to_table(report, {.width = width});
    INFO(table);
    for (const std::string& line : lines_of(table))
      CHECK(display_width(line) <= static_cast<std::size_t>(width));
    for (const char* part :
         {"Tesla K80 (k80)", "optimizer adam", "batch 4", "stage1.conv", "40.0 ms", "1 of 2 layers",
          "roofline: a bound", "mind the gap", "MysteryOp", "20.0 s", "1,000 samples"}) {
      INFO(part);
      CHECK(table.find(part) != std::string::npos);
    }
    CHECK(table.find("odd \"name\"?") != std::string::npos);  // the line break is made visible
  }
  Report too_big = report;
  too_big.run->memory.fits = false;
  CHECK(to_table(too_big, {}).find("DOES NOT FIT") != std::string::npos);
}

TEST_CASE("an empty network can be shown in every format") {
  Report report;
  report.network.file = "empty.onnx";
  CHECK(Json::parse(to_json(report))["layers"].empty());
  CHECK(lines_of(to_csv(report)).size() == 1);
  CHECK(to_table(report, {}).find("0 layers") != std::string::npos);
}

TEST_CASE("a long network is summarised by block unless all layers are asked for") {
  Report report = predicted_report();
  report.layers.clear();
  for (int block = 0; block < 20; ++block) {
    for (int i = 0; i < 10; ++i) {
      report.layers.push_back(
          layer("encoder.layer" + std::to_string(block) + ".conv" + std::to_string(i), "conv", 1e6, 0.02));
    }
  }
  const std::string table = to_table(report, {});
  CHECK(lines_of(table).size() < 50);
  CHECK(table.find("encoder.layer7 ") != std::string::npos);
  CHECK(table.find("10 layers") != std::string::npos);
  CHECK(table.find("--all-layers") != std::string::npos);
  const std::string all = to_table(report, {.width = 100, .all_layers = true});
  CHECK(lines_of(all).size() > 200);
  CHECK(all.find("--all-layers") == std::string::npos);
}

TEST_CASE("neighbours are joined where a level is too long, and named by the first and the last") {
  std::vector<std::string> names{"embedding"};
  for (int i = 0; i < 96; ++i) {
    for (const char* part : {"attention", "mlp"}) names.push_back("h." + std::to_string(i) + "." + part);
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  const auto blocks = group_into_blocks(views, 30);
  REQUIRE(blocks.size() == 25);
  CHECK(blocks[0].name == "embedding");
  CHECK(blocks[1].name == "h.0 .. 3");
  CHECK(blocks[1].members == std::vector<std::size_t>{1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(blocks[24].name == "h.92 .. 95");
}

TEST_CASE("blocks hold every layer once, within the limit") {
  std::vector<std::string> names;
  SECTION("without structure") {
    for (int i = 0; i < 1000; ++i) names.push_back("Conv_" + std::to_string(i));
  }
  SECTION("with one level that is too long") {
    for (int i = 0; i < 500; ++i) names.push_back("features." + std::to_string(i));
    names.emplace_back("classifier.0");
    names.emplace_back("classifier.1");
  }
  SECTION("with names that are beginnings of others, and doubled separators") {
    for (int i = 0; i < 90; ++i)
      names.push_back("/a//b/" + std::to_string(i % 9) + "::c" + std::to_string(i));
    names.emplace_back("/a");
    names.emplace_back("/a//b");
    names.emplace_back("");
    names.emplace_back(std::string(1000, '/'));
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  for (const std::size_t limit : {1, 5, 30}) {
    const auto blocks = group_into_blocks(views, limit);
    CHECK(blocks.size() <= limit);
    std::vector<int> seen(names.size(), 0);
    for (const Block& block : blocks) {
      for (const std::size_t member : block.members) ++seen[member];
    }
    CHECK(std::all_of(seen.begin(), seen.end(), [](int count) { return count == 1; }));
  }
  CHECK(group_into_blocks(views, 30).size() > 1);
}

TEST_CASE("numbers read easily") {
  CHECK(with_thousands(138357544) == "138,357,544");
  CHECK(with_thousands(-1000) == "-1,000");
  CHECK(with_thousands(999) == "999");
  CHECK(short_number(0) == "0");
  CHECK(short_number(1234.5) == "1,234");
  CHECK(short_number(123.4) == "123");
  CHECK(short_number(12.34) == "12.3");
  CHECK(short_number(1.234) == "1.23");
  CHECK(short_number(0.01234) == "0.0123");
  CHECK(short_number(2e9) == "2,000,000,000");
  CHECK(short_number(1e308) == "1e+308");
  CHECK(short_number(1e-9) == "<0.00001");
  CHECK(with_prefix(15470264320) == "15.5 G");
  CHECK(with_prefix(999) == "999");
  CHECK(with_prefix(12, "MACs") == "12 MACs");
  CHECK(with_prefix(1.2e7, "MACs") == "12.0 MMACs");
  CHECK(percent(0.9999) == ">99.9 %");
  CHECK(percent(1) == "100 %");
  CHECK(percent(0.0001) == "<0.1 %");
  CHECK(duration(0.85) == "850 ms");
  CHECK(duration(320) == "5 min 20 s");
  CHECK(duration(3599.9) == "1 h 0 min");
  CHECK(duration(24723) == "6 h 52 min");
  CHECK(duration(273600) == "3 d 4 h");
  CHECK(labelled_text("note", "one two three", 6, 36) == "note  one two three\n");
  CHECK(labelled_text("note", std::string(20, 'a') + ' ' + std::string(20, 'b'), 6, 36) ==
        "note  " + std::string(20, 'a') + "\n      " + std::string(20, 'b') + '\n');
  CHECK(keep_end("encoder.layer7.conv1", 10) == "..r7.conv1");
  CHECK(keep_end("\xC3\xA4\xC3\xB6\xC3\xBC\xC3\x9F", 3) == "..\xC3\x9F");
  CHECK(printable("a\x1b[2Jb\x7f\xC2\x9B") == "a?[2Jb??");
}
