#include "sim/import/name_table.h"

#include <algorithm>
#include <bit>
#include <functional>

namespace layersim {
namespace {

std::uint32_t hash_of(std::string_view name) {
  const std::size_t hash = std::hash<std::string_view>{}(name);
  return static_cast<std::uint32_t>(hash ^ (hash >> 32));
}

}  // namespace

std::size_t NameTable::locate(std::string_view name, std::uint32_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t place = hash & mask;
  while (slots_[place].name != nullptr &&
         (slots_[place].hash != hash || std::string_view(slots_[place].name, slots_[place].size) != name)) {
    place = (place + 1) & mask;
  }
  return place;
}

void NameTable::grow(std::size_t slot_count) {
  std::vector<Slot> old(slot_count);
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.name != nullptr) slots_[locate({slot.name, slot.size}, slot.hash)] = slot;
  }
}

void NameTable::reserve(std::size_t count) {
  const std::size_t slot_count = std::bit_ceil(2 * count + 2);
  if (slot_count > slots_.size()) grow(slot_count);
}

const char* NameTable::keep(std::string_view name) {
  constexpr std::size_t kSmallBlock = 1024;
  constexpr std::size_t kLargeBlock = std::size_t{1} << 18;
  const std::size_t size = name.size() + 1;  // so that an empty name has a place too
  if (size > free_size_) {
    free_size_ = std::max(size, blocks_.empty() ? kSmallBlock : kLargeBlock);
    free_ = blocks_.emplace_back(new char[free_size_]).get();
  }
  char* kept = free_;
  name.copy(kept, name.size());
  free_ += size;
  free_size_ -= size;
  return kept;
}

bool NameTable::insert(std::string_view name, ValueId value) {
  reserve(used_ + 1);
  const std::uint32_t hash = hash_of(name);
  Slot& slot = slots_[locate(name, hash)];
  if (slot.name != nullptr) return false;
  slot = {keep(name), static_cast<std::uint32_t>(name.size()), hash, value};
  ++used_;
  return true;
}

const ValueId* NameTable::find(std::string_view name) const {
  if (slots_.empty()) return nullptr;
  const Slot& slot = slots_[locate(name, hash_of(name))];
  return slot.name != nullptr ? &slot.value : nullptr;
}

}  // namespace layersim
