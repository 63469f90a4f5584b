// Writes the seed models into a folder, for the fuzzer to start from.

#include <filesystem>
#include <fstream>
#include <iostream>

#include "tests/fuzz/seed_models.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: write_fuzz_seeds FOLDER\n";
    return 2;
  }
  std::filesystem::create_directories(argv[1]);
  for (const auto& seeds : {layersim::tests::seed_models(), layersim::tests::seed_texts()}) {
    for (const auto& seed : seeds) {
      std::ofstream(std::filesystem::path(argv[1]) / (seed.name + ".seed"), std::ios::binary) << seed.bytes;
    }
  }
}
