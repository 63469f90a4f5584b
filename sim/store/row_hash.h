#pragma once
// 64-bit hashes of rows that depend on nothing but names of columns and fields: not on the file, on the order
// of the columns, or on which other columns are there with nothing in them.

#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/store/table.h"

namespace layersim {

enum class HashedColumns : unsigned char {
  all,
  features,        // the configuration: neither where nor with which result it was measured
  measured_thing,  // features and where: what repeated measurements have in common
};

// One hash a row. `seed` gives independent families of hashes.
[[nodiscard]] std::vector<std::uint64_t> hash_rows(const Table& table, HashedColumns columns,
                                                   std::uint64_t seed = 0);

[[nodiscard]] std::uint64_t hash_text(std::string_view text, std::uint64_t seed = 0);

}  // namespace layersim
