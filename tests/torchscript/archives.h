#pragma once
// The archives that write_archives makes, taken apart.

#include <catch2/catch.hpp>
#include <filesystem>
#include <iostream>
#include <string>

#include "sim/core/error.h"
#include "sim/decompose/decompose.h"
#include "sim/import/importer.h"

namespace layersim::tests {

// False, with the line that makes CTest report the test as skipped, when this build has no libtorch.
inline bool have_torch() {
#ifdef LAYERSIM_TEST_ARCHIVES
  return true;
#else
  std::cout << "SKIPPED: built without libtorch\n";
  return false;
#endif
}

inline std::filesystem::path archive(const std::string& name) {
#ifdef LAYERSIM_TEST_ARCHIVES
  return std::filesystem::path(LAYERSIM_TEST_ARCHIVES) / name;
#else
  return name;
#endif
}

inline Network take_apart(const std::filesystem::path& file, const ShapeBindings& bindings) {
  Warnings warnings;
  Graph graph = import_network(file, warnings, bindings);
  DecomposeOptions options;
  options.bindings = bindings;
  return decompose(std::move(graph), options, std::move(warnings));
}

inline ShapeBindings only_input(Shape shape) {
  ShapeBindings bindings;
  bindings.inputs[""] = std::move(shape);
  return bindings;
}

// The line that the user sees.
inline Error error_of(const std::filesystem::path& file, const ShapeBindings& bindings) {
  try {
    static_cast<void>(take_apart(file, bindings));
  } catch (const Error& error) {
    CHECK(std::string(error.what()).find('\n') == std::string::npos);
    return error;
  }
  return {ErrorKind::internal, "no error"};
}

}  // namespace layersim::tests
