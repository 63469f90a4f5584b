#include "sim/import/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "sim/core/error.h"

namespace layersim {

MappedFile::MappedFile(const std::filesystem::path& file) {
  // Non-blocking: opening a pipe must not wait for a writer.
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) throw bad_input(std::string("cannot be opened: ") + std::strerror(errno));
  struct stat status {};
  const int status_result = ::fstat(descriptor, &status);
  void* address = MAP_FAILED;
  const auto size = static_cast<std::size_t>(status.st_size);
  if (status_result == 0 && S_ISREG(status.st_mode) && size > 0) {
    address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  }
  const int error = errno;
  ::close(descriptor);
  if (status_result != 0) throw bad_input(std::string("cannot be read: ") + std::strerror(error));
  if (S_ISDIR(status.st_mode)) throw bad_input("is a directory, not a network file");
  if (!S_ISREG(status.st_mode)) throw bad_input("is not a regular file");
  if (size == 0) throw bad_input("is empty");
  if (address == MAP_FAILED) throw bad_input(std::string("cannot be mapped: ") + std::strerror(error));
  bytes_ = {static_cast<const char*>(address), size};
}

MappedFile::~MappedFile() {
  ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());  // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

}  // namespace layersim
