#pragma once
// Network file -> neutral graph. The format is recognised by content, not by name: ONNX, the graph's text
// form, or TorchScript (a zip archive, read by a module of its own).

#include <filesystem>
#include <string_view>

#include "sim/graph/infer_shapes.h"

namespace layersim {

// Throws bad_input: one line that names the file and the offset or node. Never touches weight bytes. Only
// TorchScript asks for the bindings: such a file does not tell the shapes of its inputs, which its code needs
// to be followed.
[[nodiscard]] Graph import_network(const std::filesystem::path& file, Warnings& warnings,
                                   const ShapeBindings& bindings = {});

// The bytes of an ONNX file that are already in memory (an upload, a fuzzer's input); `label` stands for the
// file name.
[[nodiscard]] Graph import_onnx_bytes(std::string_view bytes, const std::string& label, Warnings& warnings);

// Whether the file is a network in text form rather than ONNX. Throws bad_input where it cannot be read.
[[nodiscard]] bool is_network_text(const std::filesystem::path& file);

// Writes the graph as ONNX without weight bytes: large stored tensors refer to an external file that need not
// exist.
void export_onnx(const Graph& graph, const std::filesystem::path& file);

}  // namespace layersim
