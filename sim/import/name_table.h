#pragma once
// Names of values in one graph: an open-addressing hash table. A large network looks up every name a few
// times, so that this table decides how long an import takes.

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/graph/graph.h"

namespace layersim {

class NameTable {
 public:
  // Room for so many names without growing.
  void reserve(std::size_t count);

  // False when the name is there already. The name is copied.
  bool insert(std::string_view name, ValueId value);
  // nullptr when the name is not there. Valid until the next insertion.
  [[nodiscard]] const ValueId* find(std::string_view name) const;
  [[nodiscard]] bool contains(std::string_view name) const { return find(name) != nullptr; }

 private:
  struct Slot {
    const char* name = nullptr;  // of a free slot: nullptr
    std::uint32_t size = 0;
    std::uint32_t hash = 0;
    ValueId value = kNoValue;
  };

  // The slot that holds the name, or the free one where it belongs.
  [[nodiscard]] std::size_t locate(std::string_view name, std::uint32_t hash) const;
  void grow(std::size_t slot_count);
  const char* keep(std::string_view name);

  std::vector<Slot> slots_;  // a power of two of them, at most half used
  std::size_t used_ = 0;
  std::vector<std::unique_ptr<char[]>> blocks_;  // the names
  char* free_ = nullptr;
  std::size_t free_size_ = 0;
};

}  // namespace layersim
