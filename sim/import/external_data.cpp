#include "sim/import/external_data.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace layersim {

ExternalData::~ExternalData() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void ExternalData::open(const std::string& location) {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
  location_ = location;
  const std::filesystem::path relative(location);
  const bool leaves = std::find(relative.begin(), relative.end(), "..") != relative.end();
  if (location.empty() || relative.is_absolute() || leaves) return;
  descriptor_ = ::open((folder_ / relative).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status {};
  if (descriptor_ >= 0 && (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode))) {
    ::close(descriptor_);
    descriptor_ = -1;
  }
}

std::optional<std::string> ExternalData::read(const std::string& location, std::int64_t offset,
                                              std::size_t size) {
  if (folder_.empty() || offset < 0) return std::nullopt;
  if (location != location_) open(location);
  if (descriptor_ < 0) return std::nullopt;
  std::string bytes(size, '\0');
  if (::pread(descriptor_, bytes.data(), size, offset) != static_cast<ssize_t>(size)) return std::nullopt;
  return bytes;
}

}  // namespace layersim
