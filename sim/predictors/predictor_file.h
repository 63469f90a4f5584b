#pragma once
// The file of a trained predictor (HDF5): networks for the feature families with their held-out errors, and
// where it all came from. All trainers write it, one engine reads it.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/predictors/run_model.h"

namespace layersim {

struct PredictorProvenance {
  std::string tool_version;
  std::string trainer;  // "libtorch", "tiny_dnn", "linear"
  std::string date;     // ISO 8601
  std::uint64_t seed = 0;
  std::vector<std::string> sources;  // file name and checksum of each store or CSV that rows came from
  // Share of the configurations that training kept out for its test; with the seed it tells which (see
  // split_position). 0: none, or written before the file told it.
  double test_share = 0;
};

struct PredictorFile {
  PredictorProvenance provenance;
  std::vector<TrainedNetwork> networks;  // of a family those for some stacks before that for all
  std::optional<RunModel> runs;          // trained on whole networks

  // Whether a network of single layers was trained for the family.
  [[nodiscard]] bool has_family(std::string_view family) const;
};

// Throws bad_input, one line naming the file, when it is damaged, foreign, of another schema version or
// written for features that this program does not have.
[[nodiscard]] PredictorFile read_predictor_file(const std::filesystem::path& file);
// The one that comes along.
[[nodiscard]] std::filesystem::path shipped_predictor_file();
void write_predictor_file(const PredictorFile& predictor, const std::filesystem::path& file);

}  // namespace layersim
