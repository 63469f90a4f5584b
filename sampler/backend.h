#pragma once
// Where layers run. A backend makes the tensors of a problem once, and then runs the layer so many times in a
// row as the timing protocol asks for. Implementations stand beside this file or in a module of their own
// (sampler/torch); none has a header.

#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "sampler/sample_problem.h"

namespace layersim {

// This problem cannot be measured on this device, and the reason: too large for its memory, or an operator
// that the software does not have. The sampler records it and goes on.
class CannotMeasure : public std::exception {
 public:
  explicit CannotMeasure(std::string reason) : reason_(std::move(reason)) {}
  [[nodiscard]] const char* what() const noexcept override { return reason_.c_str(); }

 private:
  std::string reason_;
};

// Milliseconds of all calls together, the device's work included. Of a forward pass alone only `total`.
struct MeasuredStep {
  double total_ms = 0;
  double forward_ms = 0;
  double backward_ms = 0;
  double update_ms = 0;
};

class PreparedLayer {
 public:
  virtual ~PreparedLayer() = default;
  // Runs the layer, or its training step, so many times. Throws CannotMeasure.
  virtual MeasuredStep run(int calls) = 0;
};

// What measured, for the provenance of the rows.
struct BackendFacts {
  std::string device;           // as the driver names it
  std::string stack;            // "libtorch1.13"
  std::string library_version;  // with its BLAS or cuDNN
  std::string driver{};         // empty: none
  int threads = 1;              // of the host, that compute
  double memory_mib = 0;        // of the device, as far as it is free
  std::string warning{};        // why its times may not be what they should; empty: nothing is known
};

class Backend {
 public:
  virtual ~Backend() = default;
  [[nodiscard]] virtual BackendFacts facts() const = 0;
  // Throws CannotMeasure.
  [[nodiscard]] virtual std::unique_ptr<PreparedLayer> prepare(const SampleProblem& sample) = 0;
};

// "cpu", "cuda:0", or "fake": times by a formula, to try things out without waiting; "fake:memory_mib=64" has
// so much memory, "fake:noise=0.1" scatters by 10 %. `threads` are those of the host that compute, 0: all.
// Throws bad_use for a device that is not here.
[[nodiscard]] std::unique_ptr<Backend> open_backend(const std::string& device, int threads);

}  // namespace layersim
