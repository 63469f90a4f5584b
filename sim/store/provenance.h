#pragma once
// Where a batch of rows comes from: one record per import or per campaign of the sampler. Every row of the
// store names its record.

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "sim/store/table.h"

namespace layersim {

struct Provenance {
  std::string kind;           // of the rows
  std::string source_file;    // name without its folder; empty for measured rows
  std::string source_sha256;  // of that file
  std::string tool_version;   // of layersim
  std::string date;           // UTC, "2026-01-31T12:00:00Z"
  std::string gpus;           // distinct values in the rows, comma separated
  std::string frameworks;
  std::string settings;   // JSON of a campaign: sampler settings, seed, driver and library versions
  std::int64_t rows = 0;  // that this store holds of it
};

// With the tool's version and the present time.
[[nodiscard]] Provenance new_provenance(std::string kind);

// Distinct texts of a column over many batches, for `gpus` and `frameworks`.
class DistinctTexts {
 public:
  void add(const Table& batch, std::string_view column);
  // Comma separated in order of the alphabet; beyond 100 only their number is told.
  [[nodiscard]] std::string joined() const;

 private:
  std::set<std::string, std::less<>> texts_;
};

}  // namespace layersim
