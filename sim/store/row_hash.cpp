#include "sim/store/row_hash.h"

#include <bit>
#include <cmath>

namespace layersim {

namespace {

// Finalizer of SplitMix64 (Steele, Lea and Flood 2014): every input bit changes every output bit with
// probability 1/2.
std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31);
}

bool is_hashed(const ColumnSpec& spec, HashedColumns columns) {
  switch (columns) {
    case HashedColumns::all:
      return true;
    case HashedColumns::features:
      return spec.role == ColumnRole::feature;
    case HashedColumns::measured_thing:
      return spec.role != ColumnRole::measured;
  }
  return true;
}

}  // namespace

std::uint64_t hash_text(std::string_view text, std::uint64_t seed) {
  // FNV-1a over the bytes, then mixed: texts are short.
  std::uint64_t hash = 0xcbf29ce484222325U ^ mix(seed);
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return mix(hash);
}

std::vector<std::uint64_t> hash_rows(const Table& table, HashedColumns columns, std::uint64_t seed) {
  std::vector<std::uint64_t> hashes(table.rows(), hash_text(table.kind(), seed));
  for (const Column& column : table.columns()) {
    if (!is_hashed(column.spec, columns)) continue;
    const std::uint64_t name = hash_text(column.spec.name, seed);
    // A sum over the columns: their order does not count, and a missing field adds nothing.
    if (column.is_text()) {
      std::vector<std::uint64_t> texts;
      for (const std::string& text : column.dictionary.texts())
        texts.push_back(mix(name ^ hash_text(text, seed)));
      for (std::size_t row = 0; row < hashes.size(); ++row) {
        const std::int32_t code = column.codes[row];
        if (code != kMissingCode) hashes[row] += texts[static_cast<std::size_t>(code)];
      }
    } else {
      for (std::size_t row = 0; row < hashes.size(); ++row) {
        const double value = column.numbers[row] + 0.0;  // -0 becomes 0
        if (!std::isnan(value)) hashes[row] += mix(name ^ mix(std::bit_cast<std::uint64_t>(value)));
      }
    }
  }
  for (std::uint64_t& hash : hashes) hash = mix(hash);
  return hashes;
}

}  // namespace layersim
