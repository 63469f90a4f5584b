#pragma once
// What the fuzzer and the replay of its findings do with one input.

#include <string_view>
#include <utility>

#include "sim/core/error.h"
#include "sim/decompose/decompose.h"
#include "sim/graph/graph_text.h"
#include "sim/import/importer.h"

namespace layersim::tests {

// Takes a network, in ONNX or in text form, apart as the program does. A file may be refused; anything but a
// refusal escapes.
inline void import_one(std::string_view bytes) {
  Warnings warnings;
  try {
    Graph graph = bytes.starts_with("network") ? parse_graph_text(bytes)
                                               : import_onnx_bytes(bytes, "fuzz.onnx", warnings);
    DecomposeOptions options;
    options.bindings.batch = 2;
    options.training = true;
    options.assume_batchnorm = true;
    static_cast<void>(decompose(std::move(graph), options, std::move(warnings)));
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::internal) throw;
  }
}

}  // namespace layersim::tests
