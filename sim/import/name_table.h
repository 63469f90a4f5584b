#pragma once
// Names of values in one graph: an open-addressing hash table over views of the file's strings. A large
// network looks up every name a few times, so that this table decides how long an import takes.

#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/graph/graph.h"

namespace layersim {

struct Binding {
  ValueId value = kNoValue;
  std::int32_t producer = -1;  // index of the node in its list; -1: no node of that list
};

class NameTable {
 public:
  // Room for so many names without growing.
  void reserve(std::size_t count);

  // The entry of the name, made if there was none; and whether it was made. Valid until the next insertion.
  std::pair<Binding*, bool> insert(std::string_view name, Binding binding);
  [[nodiscard]] const Binding* find(std::string_view name) const;
  [[nodiscard]] bool contains(std::string_view name) const { return find(name) != nullptr; }

 private:
  struct Slot {
    std::string_view name;
    std::uint32_t hash = 0;
    bool used = false;
    Binding binding;
  };

  static std::uint32_t hash_of(std::string_view name) {
    const std::size_t hash = std::hash<std::string_view>{}(name);
    return static_cast<std::uint32_t>(hash ^ (hash >> 32));
  }
  // The slot that holds the name, or the free one where it belongs.
  [[nodiscard]] std::size_t locate(std::string_view name, std::uint32_t hash) const;
  void grow(std::size_t slot_count);

  std::vector<Slot> slots_;  // a power of two of them, at most half used
  std::size_t used_ = 0;
};

}  // namespace layersim
