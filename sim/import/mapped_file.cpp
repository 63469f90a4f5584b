#include "sim/import/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "sim/core/error.h"

namespace layersim {
namespace {

class Descriptor {
 public:
  // Non-blocking: opening a pipe must not wait for a writer.
  explicit Descriptor(const std::filesystem::path& file)
      : number_(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (number_ < 0) throw bad_input(std::string("cannot be opened: ") + std::strerror(errno));
  }
  ~Descriptor() { ::close(number_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

// Where the page cache holds a file in huge pages, one touched byte would map 2 MiB of it, unless addresses
// and file offsets differ in their alignment: so the mapping begins this far behind a multiple of the huge
// page size.
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kMisalignment = std::size_t{64} << 10;

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& file) {
  const Descriptor descriptor(file);
  struct stat status {};
  if (::fstat(descriptor.number(), &status) != 0) {
    throw bad_input(std::string("cannot be read: ") + std::strerror(errno));
  }
  if (S_ISDIR(status.st_mode)) throw bad_input("is a directory, not a network file");
  if (!S_ISREG(status.st_mode)) throw bad_input("is not a regular file");
  if (status.st_size == 0) throw bad_input("is empty");
  const auto size = static_cast<std::size_t>(status.st_size);
  reserved_size_ = size + kHugePage + kMisalignment;
  reserved_ = ::mmap(nullptr, reserved_size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved_ == MAP_FAILED) throw bad_input(std::string("cannot be mapped: ") + std::strerror(errno));
  const auto address = reinterpret_cast<std::uintptr_t>(reserved_);
  const std::size_t offset = (kHugePage - address % kHugePage) % kHugePage + kMisalignment;
  void* place = static_cast<char*>(reserved_) + offset;
  if (::mmap(place, size, PROT_READ, MAP_PRIVATE | MAP_FIXED, descriptor.number(), 0) == MAP_FAILED) {
    const int error = errno;
    ::munmap(reserved_, reserved_size_);
    throw bad_input(std::string("cannot be mapped: ") + std::strerror(error));
  }
  bytes_ = {static_cast<const char*>(place), size};
}

MappedFile::~MappedFile() { ::munmap(reserved_, reserved_size_); }

}  // namespace layersim
