#include "sim/store/csv_reader.h"

#include <algorithm>
#include <cctype>
#include <cstring>

#include "sim/core/error.h"
#include "sim/core/own_file.h"

namespace layersim {

namespace {

constexpr std::size_t kMaxNameBytes = 128;

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= kMaxNameBytes &&
         std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

// For messages: what can be shown of a field.
std::string shown(std::string_view text) {
  std::string result;
  for (const char c : text.substr(0, 40)) result += c >= 0x20 && c < 0x7f ? c : '?';
  return "'" + result + (text.size() > 40 ? "...'" : "'");
}

}  // namespace

CsvReader::CsvReader(const std::string& path) : stream_(path) {
  while (buffer_.size() < 3 && fill()) {
  }
  if (buffer_.starts_with("\xef\xbb\xbf")) begin_ = 3;
  if (!read_record()) throw bad_input("is empty");
  refuse_own_file(fields_.front());
  for (const std::string_view field : fields_) {
    if (!is_name(field)) {
      throw bad_input("line 1: " + shown(field) + " is not the name of a column (letters, digits and '_')");
    }
    if (std::find(header_.begin(), header_.end(), field) != header_.end()) {
      throw bad_input("line 1: column " + shown(field) + " is there twice");
    }
    header_.emplace_back(field);
  }
}

bool CsvReader::next() {
  do {
    if (!read_record()) return false;
  } while (header_.size() > 1 && fields_.size() == 1 && fields_[0].empty());  // blank lines hold no row
  if (fields_.size() != header_.size()) {
    throw bad_input(place() + ": " + std::to_string(fields_.size()) + " fields, but the header has " +
                    std::to_string(header_.size()));
  }
  return true;
}

bool CsvReader::read_record() {
  record_line_ = line_;
  while (!split_record(stream_ended_)) {
    if (stream_ended_) return false;
    if (buffer_.size() - begin_ > kMaxRecordBytes) {
      throw bad_input(place() + ": longer than 1 MiB (is a quote not closed?)");
    }
    fill();
  }
  return true;
}

bool CsvReader::fill() {
  const std::vector<char> block = stream_.next_block();
  if (block.empty()) {
    stream_ended_ = true;
    return false;
  }
  buffer_.erase(0, begin_);
  begin_ = 0;
  buffer_.append(block.data(), block.size());
  return true;
}

bool CsvReader::split_record(bool at_end) {
  fields_.clear();
  escaped_.clear();
  line_ = record_line_;
  std::size_t at = begin_;
  if (at == buffer_.size()) return false;
  const char* data = buffer_.data();
  const std::size_t size = buffer_.size();
  while (true) {
    if (fields_.size() == kMaxColumns) throw bad_input(place() + ": more than 4096 fields");
    if (at < size && data[at] == '"') {
      if (!quoted_field(at, at_end)) return false;
    } else {
      const std::size_t start = at;
      while (at < size && data[at] != ',' && data[at] != '\n' && data[at] != '"') ++at;
      if (at == size && !at_end) return false;
      if (at < size && data[at] == '"')
        throw bad_input(place() + ": a quote within a field that has none at its start");
      std::size_t end = at;
      if ((at == size || data[at] == '\n') && end > start && data[end - 1] == '\r') --end;
      fields_.emplace_back(data + start, end - start);
    }
    const bool ended = at == size || data[at] == '\n';
    ++at;
    if (ended) break;
  }
  for (const std::size_t field : escaped_) unescape(fields_[field]);
  begin_ = std::min(at, size);
  ++line_;
  return true;
}

// Makes one quote of every two, in place.
void CsvReader::unescape(std::string_view& field) {
  char* const begin = buffer_.data() + (field.data() - buffer_.data());
  char* out = begin;
  for (std::size_t i = 0; i < field.size(); ++i) {
    if (field[i] == '"') ++i;
    *out++ = field[i];
  }
  field = {begin, static_cast<std::size_t>(out - begin)};
}

// At a quote. Leaves `at` on the comma or line break after the field, or at the end of the buffer.
bool CsvReader::quoted_field(std::size_t& at, bool at_end) {
  const char* data = buffer_.data();
  const std::size_t size = buffer_.size();
  // Length of the field up to its closing quote; nothing is changed before the whole field is known to be
  // here, because the record is split again once more of it has been read.
  std::size_t close = at + 1;
  bool escaped = false;
  for (;; ++close) {
    if (close == size) {
      if (at_end) throw bad_input(place() + ": a quote is not closed");
      return false;
    }
    if (data[close] != '"') continue;
    if (close + 1 == size && !at_end) return false;
    if (close + 1 == size || data[close + 1] != '"') break;
    escaped = true;
    ++close;
  }
  std::size_t after = close + 1;
  if (after < size && data[after] == '\r') {
    if (after + 1 == size && !at_end) return false;
    ++after;
  }
  if (after < size && data[after] != ',' && data[after] != '\n') {
    throw bad_input(place() + ": text follows a closing quote");
  }
  if (escaped) escaped_.push_back(fields_.size());
  fields_.emplace_back(data + at + 1, close - at - 1);
  line_ += static_cast<std::size_t>(std::count(data + at, data + close, '\n'));
  at = after;
  return true;
}

}  // namespace layersim
