#include "sim/core/own_file.h"

#include <array>
#include <string>

#include "sim/core/error.h"

namespace layersim {
namespace {

struct OwnFile {
  std::string_view name;  // of its FileFormat
  std::string_view what;
};

constexpr std::array kOwnFiles{
    OwnFile{"store", "a store of measured rows: `train`, `evaluate` and `data` take it"},
    OwnFile{"predictor", "a predictor of the method layerwise: `predict --predictor` takes it"},
    OwnFile{"hybrid predictor", "a predictor of the method hybrid: `hybrid predict --predictor` takes it"},
    OwnFile{"regression predictor",
            "a predictor of the method regression: `regression predict --predictor` takes it"},
    OwnFile{"telemetry predictor",
            "a predictor of the method telemetry: `telemetry predict --predictor` takes it"},
    OwnFile{"transfer predictor",
            "a predictor of the method transfer: `transfer predict --predictor` takes it"},
};

}  // namespace

void refuse_own_file(std::string_view beginning) {
  const std::string_view line = beginning.substr(0, beginning.find('\n'));
  for (const OwnFile& own : kOwnFiles) {
    if (line == "layersim " + std::string(own.name)) throw bad_input("is " + std::string(own.what));
  }
}

}  // namespace layersim
