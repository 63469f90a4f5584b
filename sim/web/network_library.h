#pragma once
// Networks that requests may name: those of the zoo, and uploads. Of an upload only its graph is kept,
// without weights.

#include <filesystem>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "sim/core/warnings.h"
#include "sim/graph/graph.h"

namespace layersim {

// A network that is ready to be taken apart.
struct LibraryNetwork {
  std::string name;  // "resnet50"; the name that the user gave the upload
  std::shared_ptr<const Graph> graph;
  Warnings warnings;
};

class NetworkLibrary {
 public:
  NetworkLibrary(std::size_t most_uploads, std::int64_t most_nodes)
      : most_uploads_(most_uploads), most_nodes_(most_nodes) {}

  // Reads an ONNX file and returns the id under which requests name it: "upload-" and 32 hexadecimal digits.
  // Files that the network itself names are not read. Throws bad_input.
  [[nodiscard]] std::string add(const std::filesystem::path& file, const std::string& name);
  // Throws bad_use when it is neither in the zoo nor an upload that is still kept.
  [[nodiscard]] LibraryNetwork find(const std::string& name_or_id);

 private:
  struct Upload {
    std::string id;
    LibraryNetwork network;
  };

  std::size_t most_uploads_;
  std::int64_t most_nodes_;
  std::mutex mutex_;
  std::list<Upload> uploads_;  // the one that was used last comes first
};

}  // namespace layersim
