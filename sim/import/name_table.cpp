#include "sim/import/name_table.h"

#include <bit>

namespace layersim {

std::size_t NameTable::locate(std::string_view name, std::uint32_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t place = hash & mask;
  while (slots_[place].used && (slots_[place].hash != hash || slots_[place].name != name))
    place = (place + 1) & mask;
  return place;
}

void NameTable::grow(std::size_t slot_count) {
  std::vector<Slot> old(slot_count);
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.used) slots_[locate(slot.name, slot.hash)] = slot;
  }
}

void NameTable::reserve(std::size_t count) {
  const std::size_t slot_count = std::bit_ceil(2 * count + 2);
  if (slot_count > slots_.size()) grow(slot_count);
}

std::pair<Binding*, bool> NameTable::insert(std::string_view name, Binding binding) {
  reserve(used_ + 1);
  const std::uint32_t hash = hash_of(name);
  Slot& slot = slots_[locate(name, hash)];
  if (slot.used) return {&slot.binding, false};
  slot = {name, hash, true, binding};
  ++used_;
  return {&slot.binding, true};
}

const Binding* NameTable::find(std::string_view name) const {
  if (slots_.empty()) return nullptr;
  const Slot& slot = slots_[locate(name, hash_of(name))];
  return slot.used ? &slot.binding : nullptr;
}

}  // namespace layersim
