#pragma once
// A copy of an ONNX file with texts written to its nodes' doc strings, which viewers (Netron) show beside a
// node. The file is edited on the wire: all other bytes are those of the original, weights are copied from
// file to file without passing through this program's memory, and a file whose weights lie elsewhere is
// copied as it is.

#include <filesystem>
#include <string>
#include <vector>

namespace layersim {

// The text goes to the node of that name; where the file has none or several of it, to the node that makes
// the tensor `output`. A doc string that the node already has stays before it.
struct NodeNote {
  std::string node;
  std::string output;
  std::string text;
};

// Returns how many notes found a node. `graph_text` goes to the doc string of the graph. Throws bad_input
// where `source` is no ONNX file, bad_use where `target` cannot be written.
std::size_t annotate_onnx(const std::filesystem::path& source, const std::vector<NodeNote>& notes,
                          const std::string& graph_text, const std::filesystem::path& target);

}  // namespace layersim
