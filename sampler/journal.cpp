#include "sampler/journal.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "sim/core/error.h"

namespace layersim {
namespace {

// The first line of a journal is this, a blank and the campaign.
constexpr std::string_view kMagic = "layersim-journal-1";

std::string read_text_of(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

Journal::Journal(const std::string& store)
    : path_(store + ".journal"), lock_(with_context(store, [this] { return StoreLock(path_); })) {
  file_ = FileDescriptor(path_, O_RDWR | O_CREAT | O_APPEND);
  if (!file_.is_open()) throw bad_use(path_ + ": cannot be written: " + system_message());
  with_context(path_, [&] { read(); });
}

void Journal::read() {
  const std::string text = read_text_of(path_);
  std::size_t begin = 0;
  for (std::size_t number = 1;; ++number) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) break;
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    if (number > 1) {
      rows_.push_back(with_context("line " + std::to_string(number), [&] { return row_of_line(line); }));
    } else if (line.starts_with(kMagic) && line.size() > kMagic.size()) {
      campaign_ = line.substr(kMagic.size() + 1);
    } else {
      throw bad_input("line 1: is no journal of this program");
    }
    begin = end + 1;
  }
  if (begin < text.size() && ftruncate(file_.get(), static_cast<off_t>(begin)) != 0) {
    throw bad_use("cannot be written: " + system_message());
  }
}

void Journal::begin(const std::string& campaign) {
  write_line(std::string(kMagic) + ' ' + campaign);
  campaign_ = campaign;
}

void Journal::append(SampleRow row) {
  write_line(to_line(row));
  rows_.push_back(std::move(row));
}

void Journal::clear() {
  if (ftruncate(file_.get(), 0) != 0) throw bad_use(path_ + ": cannot be written: " + system_message());
  campaign_.clear();
  rows_.clear();
}

void Journal::remove() {
  clear();
  std::filesystem::remove(path_);
}

void Journal::write_line(const std::string& line) {
  const std::string text = line + '\n';
  for (std::size_t written = 0; written < text.size();) {
    const ssize_t count = write(file_.get(), text.data() + written, text.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw bad_use(path_ + ": cannot be written: " + system_message());
    written += static_cast<std::size_t>(count);
  }
  if (fdatasync(file_.get()) != 0) throw bad_use(path_ + ": cannot be written: " + system_message());
}

}  // namespace layersim
