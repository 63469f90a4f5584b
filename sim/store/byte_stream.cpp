#include "sim/store/byte_stream.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <mutex>
#include <span>
#include <thread>
#include <utility>

#include "sim/core/error.h"
#include "sim/store/sha256.h"

namespace layersim {

namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 18;
constexpr std::size_t kBlocksAhead = 4;

// Unwinds the reading thread when the stream is closed before its end.
struct Stopped {};

}  // namespace

class ByteStream::Impl {
 public:
  explicit Impl(const std::string& path) : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (fd_ < 0) throw bad_input(std::string("cannot open: ") + std::strerror(errno));
    struct stat status {};
    if (fstat(fd_, &status) == 0 && S_ISDIR(status.st_mode)) {
      close(fd_);
      throw bad_input("is a folder");
    }
    thread_ = std::thread([this] { run(); });
  }

  ~Impl() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    changed_.notify_all();
    thread_.join();
    close(fd_);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  std::vector<char> next_block() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return finished_ || !blocks_.empty(); });
    if (blocks_.empty()) {
      if (failure_ != nullptr) std::rethrow_exception(failure_);
      return {};
    }
    std::vector<char> block = std::move(blocks_.front());
    blocks_.pop_front();
    changed_.notify_all();
    return block;
  }

  [[nodiscard]] const std::string& sha256() const { return digest_; }

 private:
  void run() {
    std::exception_ptr failure;
    try {
      read_all();
    } catch (const Stopped&) {
    } catch (...) {
      failure = std::current_exception();
    }
    {
      const std::lock_guard lock(mutex_);
      failure_ = failure;
      finished_ = true;
    }
    changed_.notify_all();
  }

  void read_all() {
    std::vector<unsigned char> input(kBlockBytes);
    std::span<unsigned char> bytes = read_some(input);
    const bool gzip = bytes.size() >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
    if (gzip) {
      inflate_all(input, bytes);
    } else {
      for (; !bytes.empty(); bytes = read_some(input)) deliver({bytes.begin(), bytes.end()});
    }
    digest_ = hash_.hex_digest();
  }

  std::span<unsigned char> read_some(std::vector<unsigned char>& input) {
    ssize_t count = 0;
    do {
      count = read(fd_, input.data(), input.size());
    } while (count < 0 && errno == EINTR);
    if (count < 0) throw bad_input(std::string("cannot read: ") + std::strerror(errno));
    const std::span bytes(input.data(), static_cast<std::size_t>(count));
    hash_.update(bytes);
    return bytes;
  }

  void inflate_all(std::vector<unsigned char>& input, std::span<unsigned char> bytes) {
    z_stream stream{};
    constexpr int kGzipOnly = 16 + MAX_WBITS;
    if (inflateInit2(&stream, kGzipOnly) != Z_OK) throw internal_error("zlib does not start");
    const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&stream, inflateEnd);
    std::vector<char> output(kBlockBytes);
    std::size_t filled = 0;
    bool within_member = true;
    while (!bytes.empty()) {
      if (!within_member) {  // gzip allows several members one after the other
        inflateReset(&stream);
        within_member = true;
      }
      stream.next_in = bytes.data();
      stream.avail_in = static_cast<uInt>(bytes.size());
      stream.next_out = reinterpret_cast<Bytef*>(output.data()) + filled;
      stream.avail_out = static_cast<uInt>(output.size() - filled);
      const int status = inflate(&stream, Z_NO_FLUSH);
      if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
        throw bad_input("the gzip data is damaged");
      }
      within_member = status != Z_STREAM_END;
      filled = output.size() - stream.avail_out;
      bytes = bytes.last(stream.avail_in);
      if (filled == output.size()) {
        deliver(std::exchange(output, std::vector<char>(kBlockBytes)));
        filled = 0;
      }
      if (bytes.empty()) bytes = read_some(input);
    }
    if (within_member) throw bad_input("the gzip data ends too early");
    output.resize(filled);
    if (filled > 0) deliver(std::move(output));
  }

  void deliver(std::vector<char> block) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return stopped_ || blocks_.size() < kBlocksAhead; });
    if (stopped_) throw Stopped{};
    blocks_.push_back(std::move(block));
    changed_.notify_all();
  }

  int fd_;
  Sha256 hash_;
  std::string digest_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::vector<char>> blocks_;
  std::exception_ptr failure_;
  bool finished_ = false;
  bool stopped_ = false;
  std::thread thread_;
};

ByteStream::ByteStream(const std::string& path) : impl_(std::make_unique<Impl>(path)) {}
ByteStream::~ByteStream() = default;
std::vector<char> ByteStream::next_block() { return impl_->next_block(); }
const std::string& ByteStream::sha256() const { return impl_->sha256(); }

std::string file_sha256(const std::string& path) {
  ByteStream stream(path);
  while (!stream.next_block().empty()) continue;
  return stream.sha256();
}

}  // namespace layersim
