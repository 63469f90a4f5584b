#pragma once
// Runs -> networks taken apart. A table holds the same network at many batches and on many devices: each file
// is read once, and each batch and precision of it is worked out once.

#include <map>
#include <memory>
#include <string>

#include "sim/decompose/decompose.h"
#include "sim/runs/run_table.h"

namespace layersim {

// What a predictor needs of a run.
struct PreparedRun {
  std::shared_ptr<const Network> network;  // at the run's batch and precision
  Conditions conditions;                   // points into the run, which must stay
};

class RunNetworks {
 public:
  // `run.batch` samples on one device: a batch on several GPUs is the caller's to divide.
  // Throws bad_input when the network cannot be read or does not take the run's sizes.
  [[nodiscard]] PreparedRun prepare(const Run& run);

 private:
  struct Imported {
    Graph graph;
    Warnings warnings;
  };
  struct Decomposed {
    std::shared_ptr<const Network> network;
    Precision precision;
  };

  const Imported& import(const Run& run);
  Decomposed decompose_run(const Run& run);

  std::map<std::string, Imported> imported_;
  std::map<std::string, Decomposed> decomposed_;
};

}  // namespace layersim
