#pragma once
// Rows from a store into another with their provenance records, of which only those in use are copied.

#include <cstdint>
#include <vector>

#include "sim/store/store_reader.h"
#include "sim/store/store_writer.h"

namespace layersim {

inline constexpr std::size_t kBatchRows = 8192;

class ProvenanceMap {
 public:
  explicit ProvenanceMap(const StoreReader& from) : from_(&from), numbers_(from.provenance().size(), kNone) {}

  // Rows of `from` to the writer.
  void append(const Table& rows, StoreWriter& to) {
    std::vector<std::int32_t> mapped;
    mapped.reserve(rows.rows());
    for (const std::int32_t number : rows.provenance()) {
      const auto index = static_cast<std::size_t>(number);
      std::int32_t& target = numbers_[index];
      if (target == kNone) target = to.add_provenance(from_->provenance()[index]);
      mapped.push_back(target);
    }
    to.append(rows, mapped);
  }

 private:
  static constexpr std::int32_t kNone = -1;
  const StoreReader* from_;
  std::vector<std::int32_t> numbers_;
};

}  // namespace layersim
