#include "sampler/index_set.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "sim/core/error.h"

namespace layersim {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();

}  // namespace

IndexSet::IndexSet(std::string_view text) {
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto fail = [&] {
    return bad_input("'" + std::string(text.substr(0, 60)) + "' is no list as 0-4,7");
  };
  const auto read = [&] {
    std::uint64_t value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc{} || value > kMost) throw fail();
    at = next;
    return value;
  };
  while (at != end) {
    const std::uint64_t first = read();
    std::uint64_t last = first;
    if (at != end && *at == '-') {
      ++at;
      last = read();
    }
    if (last < first) throw fail();
    add_range(first, last);
    if (at == end) break;
    if (*at != ',' || ++at == end) throw fail();
  }
}

void IndexSet::add(const IndexSet& other) {
  for (const auto& [first, last] : other.ranges_) add_range(first, last);
}

void IndexSet::add_range(std::uint64_t first, std::uint64_t last) {
  auto next = ranges_.upper_bound(first);
  if (next != ranges_.begin()) {
    const auto before = std::prev(next);
    if (before->second + 1 >= first) {
      first = before->first;
      last = std::max(last, before->second);
      ranges_.erase(before);
    }
  }
  while (next != ranges_.end() && next->first <= last + 1) {
    last = std::max(last, next->second);
    next = ranges_.erase(next);
  }
  ranges_[first] = last;
}

bool IndexSet::contains(std::uint64_t index) const {
  const auto next = ranges_.upper_bound(index);
  return next != ranges_.begin() && std::prev(next)->second >= index;
}

std::uint64_t IndexSet::size() const {
  std::uint64_t size = 0;
  for (const auto& [first, last] : ranges_) size += last - first + 1;
  return size;
}

std::string IndexSet::to_text() const {
  std::string text;
  for (const auto& [first, last] : ranges_) {
    if (!text.empty()) text += ',';
    text += std::to_string(first);
    if (last != first) text += '-' + std::to_string(last);
  }
  return text;
}

}  // namespace layersim
