#pragma once

#include <string>
#include <vector>

namespace layersim::tests {

struct SeedModel {
  std::string name;
  std::string bytes;
};

// Small ONNX models from which fuzzing starts: together they touch every part of the importer.
[[nodiscard]] std::vector<SeedModel> seed_models();
// Networks in text form.
[[nodiscard]] std::vector<SeedModel> seed_texts();

}  // namespace layersim::tests
