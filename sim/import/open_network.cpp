#include "sim/import/open_network.h"

#include <filesystem>
#include <vector>

#include "sim/core/error.h"
#include "sim/core/nearest_names.h"
#include "sim/import/importer.h"
#include "sim/zoo/zoo.h"

namespace layersim {
namespace {

constexpr std::size_t kSuggestions = 3;

// A name with a folder or an extension is meant as a file.
bool looks_like_file(const std::string& name) { return name.find_first_of("/.") != std::string::npos; }

std::string suggestions(const std::string& name) {
  std::vector<std::string> known;
  for (const ZooNetwork& network : zoo_networks()) known.emplace_back(network.name);
  return suggest("; the nearest are ", nearest_names(name, known, kSuggestions));
}

}  // namespace

void check_network(const std::string& name) {
  std::error_code ignored;
  const auto status = std::filesystem::status(name, ignored);
  if (std::filesystem::is_directory(status)) throw bad_input(name + ": is a folder, not a network file");
  if (std::filesystem::exists(status) || find_zoo_network(name) != nullptr) return;
  if (looks_like_file(name)) throw bad_input(name + ": no such file");
  throw bad_use("'" + name + "' is neither a file nor a network of the zoo" + suggestions(name));
}

Graph open_network(const std::string& name, Warnings& warnings, const ShapeBindings& bindings) {
  check_network(name);
  std::error_code ignored;
  const ZooNetwork* const network = find_zoo_network(name);
  if (network != nullptr && !std::filesystem::exists(name, ignored)) return network->build();
  return import_network(name, warnings, bindings);
}

}  // namespace layersim
