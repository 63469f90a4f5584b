// Dependencies point one way. This scans the includes of every source and holds them against the order of the
// folders.

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace {

// Each folder with those that it may include besides itself.
const std::map<std::string, std::set<std::string>> kAllowed{
    {"sim/core", {}},
    {"sim/graph", {"sim/core", "layers"}},  // layers: the kinds' own shape rules, found by operator name
    {"layers", {"sim/core", "sim/graph"}},
    {"hwdb", {"sim/core"}},
    {"sim/import", {"sim/core", "sim/graph", "sim/zoo"}},  // zoo: a network by name instead of a file
    {"sim/zoo", {"sim/core", "sim/graph"}},
    {"sim/decompose", {"sim/core", "sim/graph", "layers"}},
    {"sim/features", {"sim/core", "sim/graph", "sim/decompose", "layers", "hwdb"}},
    {"sim/predictors", {"sim/core", "sim/features", "sim/store", "layers", "hwdb"}},
    {"sim/timing",
     {"sim/core", "sim/graph", "sim/decompose", "sim/features", "sim/predictors", "layers", "hwdb"}},
    {"sim/parallel",
     {"sim/core", "sim/graph", "sim/decompose", "sim/features", "sim/predictors", "sim/timing", "layers",
      "hwdb"}},
    {"sim/runs",
     {"sim/core", "sim/graph", "sim/zoo", "sim/import", "sim/decompose", "sim/features", "sim/predictors",
      "sim/timing", "sim/parallel", "sim/store", "layers", "hwdb"}},
    {"sim/study",
     {"sim/core", "sim/graph", "sim/zoo", "sim/import", "sim/decompose", "sim/features", "sim/predictors",
      "sim/timing", "sim/parallel", "layers", "hwdb"}},
    {"sim/report",
     {"sim/core", "sim/graph", "sim/import", "sim/decompose", "sim/features", "sim/predictors", "sim/timing",
      "sim/parallel", "sim/runs", "sim/study", "layers", "hwdb"}},
    {"sim/chakra", {"sim/core", "sim/report"}},
    {"sim/web",
     {"sim", "sim/core", "sim/graph", "sim/zoo", "sim/import", "sim/features", "sim/predictors",
      "sim/parallel", "sim/report", "sim/study", "hwdb"}},
    {"sim/store", {"sim/core"}},
    {"sim/evaluation",
     {"sim/core", "sim/features", "sim/predictors", "sim/report", "sim/store", "layers", "hwdb", "trainers"}},
    {"sim/methods",
     {"sim/core", "sim/decompose", "sim/features", "sim/predictors", "sim/timing", "sim/parallel", "sim/runs",
      "sim/report", "sim/store", "sim/evaluation", "layers", "hwdb"}},
};

// Third-party headers and the folders in which they may appear.
const std::map<std::string, std::set<std::string>> kSeams{
    {"onnx/", {"sim/import", "tests", "bench"}},
    {"google/protobuf/", {"sim/import", "sim/chakra"}},
    {"hdf5", {"sim/store"}},
    {"nlohmann/", {"sim/core"}},
    {"torch/", {"sim/import", "trainers", "sampler", "tests"}},
    {"caffe2/", {"sim/import", "tests"}},
    {"boost/program_options", {"sim/cli"}},
    {"httplib.h", {"sim/web"}},
    {"xgboost/", {"trainers"}},
    {"mpi.h", {"sampler"}},
    {"Eigen/", {"trainers", "sim/methods"}},
};

std::string folder_of(const std::string& path) {
  if (path.starts_with("sim/")) {
    const auto slash = path.find('/', 4);
    return slash == std::string::npos ? "sim" : path.substr(0, slash);
  }
  return path.substr(0, path.find('/'));
}

struct Include {
  std::string file;
  std::string target;
};

std::vector<Include> all_includes() {
  const std::filesystem::path root = LAYERSIM_SOURCE_DIR;
  std::vector<Include> includes;
  for (const char* top : {"sim", "layers", "hwdb", "sampler", "trainers", "tests", "bench"}) {
    if (!std::filesystem::exists(root / top)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / top)) {
      if (entry.path().extension() != ".h" && entry.path().extension() != ".cpp") continue;
      std::ifstream source(entry.path());
      for (std::string line; std::getline(source, line);) {
        if (!line.starts_with("#include ")) continue;
        includes.push_back(
            {entry.path().lexically_relative(root).string(), line.substr(10, line.size() - 11)});
      }
    }
  }
  return includes;
}

}  // namespace

TEST_CASE("folders include only those before them in the flow of data") {
  const auto includes = all_includes();
  REQUIRE(includes.size() > 100);
  for (const auto& [file, target] : includes) {
    const auto allowed = kAllowed.find(folder_of(file));
    const std::string target_folder = folder_of(target);
    if (allowed == kAllowed.end() || target.find('/') == std::string::npos) continue;
    const bool ours = target_folder.starts_with("sim") || kAllowed.count(target_folder) > 0;
    if (!ours || target_folder == allowed->first) continue;
    INFO(file << " includes " << target);
    CHECK(allowed->second.count(target_folder) == 1);
  }
}

TEST_CASE("each third-party library stays behind its module") {
  for (const auto& [file, target] : all_includes()) {
    for (const auto& [prefix, folders] : kSeams) {
      if (!target.starts_with(prefix)) continue;
      INFO(file << " includes " << target);
      CHECK(folders.count(folder_of(file)) == 1);
    }
  }
}
