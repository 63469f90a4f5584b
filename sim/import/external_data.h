#pragma once
// Files beside a network that hold its tensors. Only small tensors are ever read from them, and only if they
// are there.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace layersim {

class ExternalData {
 public:
  // An empty folder: nothing is read.
  explicit ExternalData(std::filesystem::path folder) : folder_(std::move(folder)) {}
  ~ExternalData();
  ExternalData(const ExternalData&) = delete;
  ExternalData& operator=(const ExternalData&) = delete;

  // Nothing when the file is missing, too short, or not inside the folder.
  [[nodiscard]] std::optional<std::string> read(const std::string& location, std::int64_t offset,
                                                std::size_t size);

 private:
  void open(const std::string& location);

  std::filesystem::path folder_;
  std::string location_;  // of the file that is open, or was tried last
  int descriptor_ = -1;
};

}  // namespace layersim
