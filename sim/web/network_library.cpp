#include "sim/web/network_library.h"

#include <algorithm>
#include <random>

#include "sim/core/error.h"
#include "sim/import/importer.h"
#include "sim/import/mapped_file.h"
#include "sim/zoo/zoo.h"

namespace layersim {
namespace {

constexpr std::string_view kUploadPrefix = "upload-";
constexpr std::size_t kLongestName = 100;

std::string random_id() {
  std::random_device source;
  std::string id(kUploadPrefix);
  for (int digit = 0; digit < 32; ++digit) id += "0123456789abcdef"[source() % 16];
  return id;
}

// For people to read: no control characters, no path.
std::string shown_name(const std::string& name) {
  std::string shown = std::filesystem::path(name).filename().string().substr(0, kLongestName);
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; },
      '?');
  return shown.empty() ? "network.onnx" : shown;
}

}  // namespace

std::string NetworkLibrary::add(const std::filesystem::path& file, const std::string& name) {
  Upload upload{random_id(), {shown_name(name), nullptr, {}}};
  const MappedFile mapped(file);
  auto graph = std::make_shared<Graph>(
      import_onnx_bytes(mapped.bytes(), upload.network.name, upload.network.warnings));
  if (static_cast<std::int64_t>(graph->nodes.size()) > most_nodes_) {
    throw bad_input(upload.network.name + ": has " + std::to_string(graph->nodes.size()) +
                    " nodes, more than " + std::to_string(most_nodes_));
  }
  upload.network.graph = std::move(graph);
  std::string id = upload.id;
  const std::lock_guard lock(mutex_);
  uploads_.push_front(std::move(upload));
  if (uploads_.size() > most_uploads_) uploads_.pop_back();
  return id;
}

LibraryNetwork NetworkLibrary::find(const std::string& name_or_id) {
  if (name_or_id.starts_with(kUploadPrefix)) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(uploads_.begin(), uploads_.end(),
                                    [&](const Upload& upload) { return upload.id == name_or_id; });
    if (found == uploads_.end()) throw bad_use("the upload is no longer kept: upload the network again");
    uploads_.splice(uploads_.begin(), uploads_, found);
    return uploads_.front().network;
  }
  const ZooNetwork* network = find_zoo_network(name_or_id);
  if (network == nullptr)
    throw bad_use("no network '" + name_or_id.substr(0, 60) + "': /api/v1/networks lists them");
  return {name_or_id, std::make_shared<const Graph>(network->build()), {}};
}

}  // namespace layersim
