// Real exported networks and hard small cases against their expected.csv: parameters, MACs, layers by kind,
// shapes.

#include <catch2/catch.hpp>
#include <set>

#include "expected_table.h"
#include "shared_files.h"
#include "sim/core/error.h"
#include "sim/decompose/decompose.h"
#include "sim/import/importer.h"
#include "sim/report/describe.h"

using namespace layersim;
using namespace layersim::tests;

namespace {

Network take_apart(const std::string& path, const DecomposeOptions& options) {
  Warnings warnings;
  Graph graph = import_network(shared_path(path), warnings);
  return decompose(std::move(graph), options, std::move(warnings));
}

std::size_t count_kinds(const Network& network, const std::set<std::string_view>& kinds) {
  std::size_t count = 0;
  for (const Layer& layer : network.layers)
    count += layer.problem.kind != nullptr && kinds.count(layer.problem.kind->name);
  return count;
}

void check_network(const ExpectedRow& row) {
  for (const std::int64_t batch : {1, 2}) {
    DecomposeOptions options;
    options.bindings.batch = batch;
    const Network network = take_apart("networks/" + row.at("file"), options);
    CHECK(network.params == std::stod(row.at("params_in_file")));
    CHECK(network.macs_min == static_cast<double>(batch) * std::stod(row.at("macs_per_sample")));
    CHECK(network.macs_max == network.macs_min);
    CHECK(count_kinds(network, {"conv", "conv_transpose"}) == std::stoul(row.at("n_conv")));
    CHECK(count_kinds(network, {"dense", "matmul"}) == std::stoul(row.at("n_gemm_matmul")));
    CHECK(count_kinds(network, {"pool"}) == std::stoul(row.at("n_pool")));
    CHECK(count_kinds(network, {"norm"}) == std::stoul(row.at("n_norm")));
    CHECK(count_kinds(network, {"recurrent"}) == std::stoul(row.at("n_rnn")));
    double params = 0;
    double macs = 0;
    for (const Layer& layer : network.layers) {
      INFO(layer.name << " (" << layer.op << ")");
      CHECK(layer.problem.kind != nullptr);
      CHECK(layer.output_shape_known);
      params += layer.params;
      macs += layer.work.forward.macs;
    }
    CHECK(params == network.params);
    CHECK(macs == network.macs_max);
  }
}

// "--batch 5", "--input x=1x8x8x3", "--input 1x3x8x8"
DecomposeOptions parse_arguments(const std::string& arguments) {
  DecomposeOptions options;
  std::istringstream words(arguments);
  std::string option;
  std::string value;
  while (words >> option >> value) {
    if (option == "--batch") {
      options.bindings.batch = std::stoll(value);
      continue;
    }
    const std::size_t equals = value.find('=');
    std::istringstream sizes(value.substr(equals == std::string::npos ? 0 : equals + 1));
    Shape shape;
    for (std::string size; std::getline(sizes, size, 'x');) shape.push_back(std::stoll(size));
    options.bindings.inputs[equals == std::string::npos ? "" : value.substr(0, equals)] = shape;
  }
  return options;
}

// "4 layer rows" in the description of a case: activations that are fused into a layer are rows of their own.
void check_rows(const Network& network, const std::string& behaviour) {
  const std::size_t end = behaviour.find(" layer rows");
  if (end == std::string::npos) return;
  const std::size_t begin = behaviour.find_last_of(' ', end - 1) + 1;
  const Report report = describe_network(network, "case", std::nullopt);
  CHECK(report.coverage.layers == std::stoi(behaviour.substr(begin, end - begin)));
}

void check_macs(const Network& network, const std::string& expected) {
  const std::size_t dots = expected.find("..");
  CHECK(network.macs_min == std::stod(expected));
  CHECK(network.macs_max == std::stod(dots == std::string::npos ? expected : expected.substr(dots + 2)));
}

}  // namespace

TEST_CASE("real networks decompose into the right layers") {
  if (!have_shared("networks/expected.csv")) return;
  for (const ExpectedRow& row : read_expected(shared_path("networks/expected.csv").string())) {
    if (!row.at("file").ends_with(".onnx")) continue;
    DYNAMIC_SECTION(row.at("file")) { check_network(row); }
  }
}

TEST_CASE("hard cases decompose into the right layers") {
  if (!have_shared("cases/expected.csv")) return;
  for (const ExpectedRow& row : read_expected(shared_path("cases/expected.csv").string())) {
    if (!row.at("file").ends_with(".onnx")) continue;
    DYNAMIC_SECTION(row.at("file")) {
      const Network network = take_apart("cases/" + row.at("file"), parse_arguments(row.at("arguments")));
      if (!row.at("macs").empty()) check_macs(network, row.at("macs"));
      if (!row.at("params").empty()) CHECK(network.params == std::stod(row.at("params")));
      if (!row.at("weight_bytes").empty()) CHECK(network.weight_bytes == std::stod(row.at("weight_bytes")));
      if (!row.at("output_shape").empty()) {
        CHECK(to_string(*network.graph.value(network.graph.outputs.at(0)).tensor.shape) ==
              row.at("output_shape"));
      }
      check_rows(network, row.at("behaviour"));
    }
  }
}
