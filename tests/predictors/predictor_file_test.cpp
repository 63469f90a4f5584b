#include "sim/predictors/predictor_file.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <functional>

#include "sim/core/error.h"
#include "sim/features/device_numbers.h"
#include "sim/features/transferable_features.h"
#include "sim/store/array_file.h"
#include "tests/store/temporary_folder.h"

using namespace layersim;

namespace {

constexpr FileFormat kFormat{"predictor", 1};

TrainedNetwork some_network(DeviceView view = DeviceView::full) {
  const FeatureFamily& family = *find_feature_family("rowwise");
  TrainedNetwork network;
  network.family = "rowwise";
  network.stack_group = "*";
  network.gpus = {"k80", "v100-sxm2"};
  network.stacks = {"pytorch2.1"};
  network.device_view = view;
  const bool full = view == DeviceView::full;
  const std::size_t of_device = (full ? device_feature_specs() : transferable_feature_specs()).size();
  const std::size_t inputs = family.features.size() + of_device + 3;
  for (std::size_t i = 0; i < inputs; ++i) {
    network.mean.push_back(static_cast<float>(i) / 7);
    network.scale.push_back(1 + static_cast<float>(i) / 3);
  }
  network.low.assign(family.features.size(), -1.5F);
  network.high.assign(family.features.size(), 2.5F);
  for (int member = 0; member < 2; ++member) {
    Mlp layers;
    int width = static_cast<int>(inputs);
    for (const int outputs : {5, static_cast<int>(family.terms.size())}) {
      DenseLayer layer{width, outputs, {}, {}};
      for (int i = 0; i < width * outputs; ++i) layer.weights.push_back(static_cast<float>(i + member) / 11);
      for (int i = 0; i < outputs; ++i) layer.bias.push_back(static_cast<float>(-i));
      layers.push_back(layer);
      width = outputs;
    }
    network.members.push_back(layers);
  }
  network.intervals = {{"", "", Pass::forward, {}, {0.25}},
                       {"k80", "pytorch2.1", Pass::training, {0.5, 2}, {0.125, 0.25, 0.5}}};
  network.training = "hidden 5, 40 epochs";
  network.known = {{"k80", "pytorch2.1", "fp32", "forward", 1234, 321, 0.0625, 1.5, 0.875}};
  std::vector<float> device_inputs;
  for (std::size_t i = 0; i < identity_feature_count() + network.gpus.size(); ++i) {
    device_inputs.push_back(static_cast<float>(i) / 3);
  }
  network.calibrations = {{"v100-sxm2", {0.5, -0.25, 0.125}, device_inputs, 1.75}};
  return network;
}

PredictorFile some_predictor() {
  return {{"1.2.3",
           "libtorch",
           "2026-01-31T12:00:00Z",
           18446744073709551615ULL,
           {"a.csv sha256 00", "b.csv"},
           0.2},
          {some_network()},
          {}};
}

RunModel some_runs() {
  RunModel model;
  model.networks = {some_network(DeviceView::transferable)};
  model.networks.front().stack_group = "runs";
  const std::size_t terms = find_feature_family("rowwise")->terms.size();
  model.networks.front().machines = {{"tf2.5", "k80"}, {"pytorch2.1", "a100-pcie-40gb"}};
  model.networks.front().factor_weights.assign(terms * (device_factor_specs().size() + 2), 0.375F);
  model.smoothness = 3.5;
  model.shifts = {{"", "", {1, 2, 3, 4, 5, 6}}, {"tf*", "", {0.5, 0, 0, 0, 0, -1}}, {"tf2.5", "k80", {}}};
  model.intervals = {
      {"", RunNovelty::none, 0.25}, {"tf2.5", RunNovelty::layers, 0.125}, {"", RunNovelty::device, 0.5}};
  model.known = {{"k80", "tf2.5", "fp32", "training", 191, 190, 0.0625, 0.875}};
  model.weight_shapes["k80"] = {{64, 3, 1, 1, 7, 7, 2}, {4096, 25088, 1, 1, 1, 1, 1}};
  model.weight_shapes["t4"] = {{10, 84, 1, 1, 1, 1, 1}};
  return model;
}

std::string read_error(const std::filesystem::path& file) {
  try {
    static_cast<void>(read_predictor_file(file));
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::bad_input);
    const std::string text = error.what();
    CHECK(text.find(file.string()) == 0);
    CHECK(text.find('\n') == std::string::npos);
    return text;
  }
  return "no error";
}

}  // namespace

TEST_CASE("a predictor file gives back all that was written") {
  const tests::TemporaryFolder folder;
  const std::filesystem::path file = folder.file("p.h5");
  const PredictorFile written = some_predictor();
  write_predictor_file(written, file);
  write_predictor_file(written, file);  // replaces
  const PredictorFile read = read_predictor_file(file);

  CHECK(read.provenance.tool_version == "1.2.3");
  CHECK(read.provenance.trainer == "libtorch");
  CHECK(read.provenance.date == "2026-01-31T12:00:00Z");
  CHECK(read.provenance.seed == 18446744073709551615ULL);
  CHECK(read.provenance.sources == written.provenance.sources);
  CHECK(read.provenance.test_share == 0.2);
  REQUIRE(read.networks.size() == 1);
  const TrainedNetwork& a = written.networks.front();
  const TrainedNetwork& b = read.networks.front();
  CHECK(b.family == a.family);
  CHECK(b.stack_group == a.stack_group);
  CHECK(b.gpus == a.gpus);
  CHECK(b.stacks == a.stacks);
  CHECK(b.mean == a.mean);
  CHECK(b.scale == a.scale);
  CHECK(b.low == a.low);
  CHECK(b.high == a.high);
  REQUIRE(b.members.size() == 2);
  for (std::size_t m = 0; m < 2; ++m) {
    REQUIRE(b.members[m].size() == 2);
    for (std::size_t l = 0; l < 2; ++l) {
      CHECK(b.members[m][l].inputs == a.members[m][l].inputs);
      CHECK(b.members[m][l].outputs == a.members[m][l].outputs);
      CHECK(b.members[m][l].weights == a.members[m][l].weights);
      CHECK(b.members[m][l].bias == a.members[m][l].bias);
    }
  }
  REQUIRE(b.intervals.size() == 2);
  CHECK(b.intervals[0].gpu.empty());
  CHECK(b.intervals[0].half_width == a.intervals[0].half_width);
  CHECK(b.intervals[1].gpu == "k80");
  CHECK(b.intervals[1].stack == "pytorch2.1");
  CHECK(b.intervals[1].pass == Pass::training);
  CHECK(b.intervals[1].upper_ms == a.intervals[1].upper_ms);
  CHECK(b.intervals[1].half_width == a.intervals[1].half_width);
  REQUIRE(b.known.size() == 1);
  CHECK(b.known[0].pass == "forward");
  CHECK(b.known[0].rows == 1234);
  CHECK(b.known[0].held_out_rows == 321);
  CHECK(b.known[0].held_out_mape == 0.0625);
  CHECK(b.known[0].held_out_rmse_ms == 1.5);
  CHECK(b.known[0].held_out_coverage == 0.875);
  REQUIRE(b.calibrations.size() == 1);
  CHECK(b.training == a.training);
  CHECK(b.calibrations[0].gpu == "v100-sxm2");
  CHECK(b.calibrations[0].log_factors == a.calibrations[0].log_factors);
  CHECK(b.calibrations[0].device_inputs == a.calibrations[0].device_inputs);
  CHECK(b.calibrations[0].width_factor == a.calibrations[0].width_factor);
}

TEST_CASE("files that are no predictor of this program give one clear line") {
  const tests::TemporaryFolder folder;
  const std::filesystem::path file = folder.file("p.h5");
  CHECK(read_error(file).find("cannot open") != std::string::npos);
  std::ofstream(file) << "not a predictor";
  CHECK(read_error(file).find("is not a predictor of layersim") != std::string::npos);
  write_array_file(file.string(), {"store", 1}, {});
  CHECK(read_error(file).find("is a store of measured rows") != std::string::npos);
  write_array_file(file.string(), {"predictor", 2}, {});
  CHECK(read_error(file).find("schema version 2") != std::string::npos);
  write_array_file(file.string(), kFormat, {});
  CHECK(read_error(file).find("has no group 'predictor'") != std::string::npos);

  write_predictor_file(some_predictor(), file);
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 100);
  CHECK(read_error(file).find("damaged") != std::string::npos);
}

TEST_CASE("a feature that a file does not know yet has no weight") {
  const tests::TemporaryFolder folder;
  const std::filesystem::path file = folder.file("p.h5");
  write_predictor_file(some_predictor(), file);
  ArrayGroups groups = read_array_file(file.string(), kFormat);
  ArrayGroup& group = groups.at("rowwise@*");
  constexpr std::ptrdiff_t kPlace = 3;
  const std::string name = std::string(find_feature_family("rowwise")->features[kPlace].name) + "\n";
  group.texts.at("inputs").erase(group.texts.at("inputs").find(name), name.size());
  for (const char* array : {"normalization", "trained_range"}) {
    auto& values = group.arrays.at(array).values;
    values.erase(values.begin() + 2 * kPlace, values.begin() + 2 * kPlace + 2);
  }
  for (const char* layer : {"member0_layer0", "member1_layer0"}) {
    StoredArray& array = group.arrays.at(layer);
    for (auto row = static_cast<std::ptrdiff_t>(array.rows()); row-- > 0;) {
      array.values.erase(array.values.begin() + row * static_cast<std::ptrdiff_t>(array.columns) + kPlace);
    }
    --array.columns;
  }
  write_array_file(file.string(), kFormat, groups);

  const TrainedNetwork known = some_network();
  const TrainedNetwork read = read_predictor_file(file).networks.front();
  REQUIRE(read.mean.size() == known.mean.size());
  CHECK(read.mean[kPlace] == 0);
  CHECK(read.scale[kPlace] == 1);
  CHECK(read.low[kPlace] < -1e30F);
  CHECK(read.high[kPlace] > 1e30F);
  CHECK(read.mean[kPlace + 1] == known.mean[kPlace + 1]);
  CHECK(read.high[kPlace + 1] == known.high[kPlace + 1]);
  for (std::size_t m = 0; m < read.members.size(); ++m) {
    DenseLayer expected = known.members[m].front();
    for (int o = 0; o < expected.outputs; ++o) {
      expected.weights[static_cast<std::size_t>(o * expected.inputs + kPlace)] = 0;
    }
    CHECK(read.members[m].front().weights == expected.weights);
    CHECK(read.members[m].back().weights == known.members[m].back().weights);
  }
}

TEST_CASE("a predictor whose parts do not fit together is refused") {
  const tests::TemporaryFolder folder;
  const std::filesystem::path file = folder.file("p.h5");
  write_predictor_file(some_predictor(), file);
  const ArrayGroups groups = read_array_file(file.string(), kFormat);
  const auto error_with = [&](const std::function<void(ArrayGroup&)>& change) {
    ArrayGroups changed = groups;
    change(changed.at("rowwise@*"));
    write_array_file(file.string(), kFormat, changed);
    return read_error(file);
  };
  CHECK(error_with([](ArrayGroup& group) { group.texts.at("inputs")[0] = 'X'; }).find("other features") !=
        std::string::npos);
  CHECK(error_with([](ArrayGroup& group) { group.texts.at("family") = "magic"; }).find("other features") !=
        std::string::npos);
  CHECK(error_with([](ArrayGroup& group) { group.texts.erase("gpus"); }).find("no text 'gpus'") !=
        std::string::npos);
  CHECK(error_with([](ArrayGroup& group) {
          group.arrays.erase("known_rows");
        }).find("no array 'known_rows'") != std::string::npos);
  for (const char* array : {"normalization", "trained_range", "member0_layer1", "member1_layer0", "intervals",
                            "known_rows", "calibrations"}) {
    INFO(array);
    const auto add_row = [&](ArrayGroup& group) {
      StoredArray& changed = group.arrays.at(array);
      changed.values.resize(changed.values.size() + changed.columns);
    };
    CHECK(error_with(add_row) != "no error");
    CHECK(error_with([&](ArrayGroup& group) { group.arrays.at(array) = {}; }) != "no error");
  }
  CHECK(error_with([](ArrayGroup& group) {
          group.texts.at("intervals_of").insert(0, "k80\tx\tsideways\n");
        }) != "no error");
}

TEST_CASE("predictor file: a run model comes back as it was written") {
  const tests::TemporaryFolder folder;
  PredictorFile predictor = some_predictor();
  predictor.runs = some_runs();
  write_predictor_file(predictor, folder.file("runs.h5"));
  const PredictorFile read = read_predictor_file(folder.file("runs.h5"));
  CHECK(read.networks.size() == 1);
  REQUIRE(read.runs);
  REQUIRE(read.runs->networks.size() == 1);
  const TrainedNetwork& network = read.runs->networks.front();
  CHECK(network.members.size() == 2);
  CHECK(network.device_view == DeviceView::transferable);
  CHECK(network.factor_weights == predictor.runs->networks.front().factor_weights);
  CHECK(read.networks.front().device_view == DeviceView::full);
  CHECK(network.machines == predictor.runs->networks.front().machines);
  CHECK(read.networks.front().factor_weights.empty());
  CHECK(read.runs->smoothness == 3.5);
  REQUIRE(read.runs->shifts.size() == 3);
  CHECK(read.runs->shifts[0].shift == OverheadLogs{1, 2, 3, 4, 5, 6});
  CHECK(read.runs->shifts[1].stack == "tf*");
  CHECK(read.runs->shifts[2].gpu == "k80");
  REQUIRE(read.runs->intervals.size() == 3);
  CHECK(read.runs->intervals[0].stack.empty());
  CHECK(read.runs->intervals[1].novelty == RunNovelty::layers);
  CHECK(read.runs->intervals[2].novelty == RunNovelty::device);
  CHECK(read.runs->intervals[1].half_width == 0.125);
  REQUIRE(read.runs->known.size() == 1);
  CHECK(read.runs->known[0].runs == 191);
  CHECK(read.runs->known[0].held_out_coverage == 0.875);
  CHECK(read.runs->weight_shapes == predictor.runs->weight_shapes);
  CHECK(read.runs->specialists.empty());
}

TEST_CASE("predictor file: specialists of a run model come back with their networks") {
  const tests::TemporaryFolder folder;
  PredictorFile predictor = some_predictor();
  predictor.runs = some_runs();
  RunModel specialist;
  specialist.stacks = "tf*";
  specialist.smoothness = 2.5;
  specialist.known = {{"k80", "tf2.5", "", "", 5, 0, 0, 0, "conv"},
                      {"k80", "tf2.5", "", "", 7, 0, 0, 0, "gemm"}};
  specialist.networks = {some_network()};
  specialist.networks.front().stack_group = specialist_group("tf*");
  predictor.runs->specialists = {specialist};
  write_predictor_file(predictor, folder.file("runs.h5"));
  const PredictorFile read = read_predictor_file(folder.file("runs.h5"));
  CHECK(read.networks.size() == 1);
  REQUIRE(read.runs);
  CHECK(read.runs->networks.size() == 1);
  REQUIRE(read.runs->specialists.size() == 1);
  CHECK(read.runs->specialists[0].stacks == "tf*");
  CHECK(read.runs->specialists[0].smoothness == 2.5);
  REQUIRE(read.runs->specialists[0].known.size() == 2);
  CHECK(read.runs->specialists[0].known[0].family == "conv");
  CHECK(read.runs->specialists[0].known[1].runs == 7);
  CHECK(read.runs->specialists[0].networks.size() == 1);
}
