#include <catch2/catch.hpp>

#include "sim/pipeline.h"
#include "tests/web/test_site.h"

using namespace layersim;
using namespace layersim::tests;
using Catch::Matchers::Contains;

TEST_CASE("the interface lists devices and networks, and describes itself") {
  TestSite test;
  CHECK(Json::parse(test.get("/api/v1/gpus").body)["gpus"].size() >= 75);
  CHECK(Json::parse(test.get("/api/v1/networks").body)["networks"].size() >= 50);
  CHECK(Json::parse(test.get("/api/v1/health").body)["status"] == "ok");
  const Json description = Json::parse(test.get("/api/v1/openapi.json").body);
  CHECK(description["openapi"].get<std::string>().starts_with("3."));
  CHECK_FALSE(description["info"]["version"].get<std::string>().empty());
}

TEST_CASE("what the description names is served, and every parameter of it is known") {
  TestSite test;
  const Json description = Json::parse(test.get("/api/v1/openapi.json").body);
  const std::map<std::string, std::string> values{{"network", "lenet5"},
                                                  {"gpu", "k80"},
                                                  {"gpus", "k80"},
                                                  {"instances", "p2.xlarge"},
                                                  {"batches", "8"},
                                                  {"mode", "training"},
                                                  {"optimizer", "sgd"},
                                                  {"precision", "fp32"},
                                                  {"stack", "tf2.5"},
                                                  {"batch", "8"},
                                                  {"dataset_size", "100"},
                                                  {"validation_size", "10"},
                                                  {"epochs", "2"},
                                                  {"loader_images_per_s", "100"},
                                                  {"assume_batchnorm", "true"},
                                                  {"n_gpus", "2"},
                                                  {"nodes", "1"},
                                                  {"parallel", "pp"},
                                                  {"interconnect", "pcie3-x16"},
                                                  {"micro_batches", "2"},
                                                  {"budget_usd", "1000"},
                                                  {"deadline_h", "100"},
                                                  {"format", "json"}};
  for (const auto& [path, methods] : description["paths"].items()) {
    if (!methods.contains("get")) continue;
    std::map<std::string, std::string> query;
    Json body = Json::object();
    for (const Json& parameter : methods["get"].value("parameters", Json::array())) {
      const auto value = values.find(parameter["name"].get<std::string>());
      if (value == values.end()) continue;  // dim, input: lenet5 leaves nothing open
      query[value->first] = value->second;
      body[value->first] = value->second;
    }
    INFO(path);
    const HttpAnswer answer = test.get("/api/v1" + path, query);
    INFO(answer.body.substr(0, 300));
    CHECK(answer.status == 200);
    if (path != "/predict" && path != "/compare") continue;
    CHECK(test.post("/api/v1" + path, body.dump()).body == answer.body);
    query["surprise"] = "1";
    CHECK(test.get("/api/v1" + path, query).status == 400);
  }
}

TEST_CASE("a prediction over the interface is that of the library") {
  TestSite test;
  const HttpAnswer answer = test.get(
      "/api/v1/predict", {{"network", "resnet18"}, {"gpu", "t4"}, {"batch", "8"}, {"optimizer", "adam"}});
  REQUIRE(answer.status == 200);
  CHECK(answer.type == "application/json");
  NetworkOptions network;
  network.network = "resnet18";
  network.bindings.batch = 8;
  RunOptions run;
  run.optimizer = Optimizer::adam;
  run.method = "roofline";
  run.price = rent_of_gpu("t4", shipped_prices());
  const Device device = load_device({.gpu = "t4", .gpu_file = {}});
  CHECK(answer.body == to_json(predict(load_network(network, run.mode), network, device, run)));
}

TEST_CASE("a study as JSON, CSV and page") {
  TestSite test;
  std::map<std::string, std::string> query{
      {"network", "resnet18,vgg11"}, {"gpus", "k80,t4"}, {"batches", "8,16"}, {"epochs", "3"}};
  const Json json = Json::parse(test.get("/api/v1/compare", query).body);
  REQUIRE(json["networks"].size() == 2);
  CHECK(json["networks"][0]["rows"].size() == 4);
  query["format"] = "csv";
  const HttpAnswer csv = test.get("/api/v1/compare", query);
  CHECK(std::count(csv.body.begin(), csv.body.end(), '\n') == 1 + 8);
  CHECK(csv.headers.front() ==
        std::pair<std::string, std::string>("Content-Disposition", "attachment; filename=\"study.csv\""));
  query["format"] = "html";
  CHECK_THAT(test.get("/api/v1/compare", query).body, Contains("<svg") && Contains("resnet18"));
}

TEST_CASE("an uploaded network is predicted as the file is, and named by its id alone") {
  TestSite test;
  const HttpAnswer answer = test.upload("../../my <net>.onnx", onnx_bytes(test.folder, "resnet18"));
  REQUIRE(answer.status == 201);
  const Json upload = Json::parse(answer.body);
  CHECK(upload["name"] == "my <net>.onnx");
  const auto id = upload["id"].get<std::string>();
  CHECK(id.size() == std::string("upload-").size() + 32);
  const auto time = [&](const std::string& network) {
    const HttpAnswer predicted =
        test.get("/api/v1/predict", {{"network", network}, {"gpu", "t4"}, {"batch", "16"}, {"n_gpus", "2"}});
    INFO(predicted.body.substr(0, 300));
    REQUIRE(predicted.status == 200);
    return Json::parse(predicted.body)["batch_ms"].get<double>();
  };
  CHECK(time(id) == Approx(time("resnet18")));
  const HttpAnswer study = test.get("/api/v1/compare", {{"network", id}, {"gpus", "t4"}, {"batches", "8"}});
  CHECK(Json::parse(study.body)["networks"][0]["network"] == "my <net>.onnx");
}

TEST_CASE("only so many uploads are kept: the one used longest ago goes") {
  SiteOptions options;
  options.limits.kept_uploads = 2;
  TestSite test(options);
  const std::string bytes = onnx_bytes(test.folder, "lenet5");
  std::vector<std::string> ids;
  const auto predict_status = [&](const std::string& id) {
    return test.get("/api/v1/predict", {{"network", id}, {"gpu", "t4"}}).status;
  };
  for (int i = 0; i < 2; ++i) ids.push_back(Json::parse(test.upload("a", bytes).body)["id"]);
  CHECK(predict_status(ids[0]) == 200);
  ids.push_back(Json::parse(test.upload("a", bytes).body)["id"]);
  CHECK(predict_status(ids[0]) == 200);
  CHECK(predict_status(ids[1]) == 400);
  CHECK(predict_status(ids[2]) == 200);
}

TEST_CASE("requests that cannot be served say why") {
  TestSite test;
  const auto fails = [&](const HttpAnswer& answer, int status, const std::string& message) {
    INFO(answer.body.substr(0, 300));
    CHECK(answer.status == status);
    CHECK(Json::parse(answer.body)["error"]["status"] == status);
    CHECK_THAT(message_of(answer), Contains(message));
  };
  fails(test.get("/api/v1/magic"), 404, "no such path");
  fails(test.post("/api/v1/gpus", "{}"), 405, "does not take POST");
  fails(test.get("/api/v1/predict"), 400, "'network' is missing");
  fails(test.get("/api/v1/predict", {{"network", "resnet18"}}), 400, "'gpu' is missing");
  fails(test.get("/api/v1/predict", {{"network", "resnet18"}, {"gpu", "k8000"}}), 400, "k8000");
  fails(test.get("/api/v1/predict", {{"network", "../README.md"}, {"gpu", "k80"}}), 400, "no network");
  fails(test.get("/api/v1/predict", {{"network", "upload-0123"}, {"gpu", "k80"}}), 400,
        "upload the network again");
  fails(test.post("/api/v1/predict", "no json"), 400, "no JSON object");
  fails(test.get("/api/v1/compare",
                 {{"network", "resnet18"}, {"gpus", "all"}, {"batches", "1:1048576"}, {"instances", "all"}}),
        400, "cells");
  fails(test.get("/api/v1/compare", {{"network", "resnet18"}, {"gpus", "k80"}, {"batches", "1:1073741824"}}),
        400, "'batches' go up to");
  fails(test.upload("x", "not a network"), 422, "x: ");
  fails(test.upload("x", onnx_bytes(test.folder, "resnet18").substr(0, 5000)), 422, "x: ");
  fails(test.post("/api/v1/networks", "{}"), 400, "the body is the ONNX file");
}

TEST_CASE("a network with more nodes than are taken is refused") {
  SiteOptions options;
  options.limits.upload_nodes = 10;
  TestSite test(options);
  const HttpAnswer answer = test.upload("x", onnx_bytes(test.folder, "resnet18"));
  CHECK(answer.status == 422);
  CHECK_THAT(message_of(answer), Contains("more than 10"));
}

TEST_CASE("a request that takes too long is ended") {
  SiteOptions options;
  options.limits.request_time = std::chrono::milliseconds(0);
  TestSite test(options);
  const HttpAnswer answer = test.get("/api/v1/predict", {{"network", "vgg16"}, {"gpu", "k80"}});
  CHECK(answer.status == 503);
  CHECK_FALSE(message_of(answer).empty());
}
