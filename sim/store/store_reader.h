#pragma once
// Reading a store. A store never changes under a reader (see store_lock.h).

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/warnings.h"
#include "sim/store/provenance.h"
#include "sim/store/table.h"
#include "sim/store/table_kind.h"

namespace layersim {

struct StoredTable {
  std::string kind;
  TableGroup group = TableGroup::layers;
  std::size_t rows = 0;
  std::vector<ColumnSpec> columns;
};

class StoreReader {
 public:
  // Throws bad_input, naming the file, when it is missing, damaged, of another format or of a newer schema.
  explicit StoreReader(const std::string& path);
  ~StoreReader();
  StoreReader(const StoreReader&) = delete;
  StoreReader& operator=(const StoreReader&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::vector<StoredTable>& tables() const { return tables_; }
  // nullptr when the store has no such rows.
  [[nodiscard]] const StoredTable* find(std::string_view kind) const;
  // Throws bad_use when the store has no such rows.
  [[nodiscard]] const StoredTable& table(std::string_view kind) const;
  [[nodiscard]] const std::vector<Provenance>& provenance() const { return provenance_; }

  // All rows of a kind.
  [[nodiscard]] Table read(std::string_view kind) const;

 private:
  friend class StoreRows;
  friend class StoreWriter;
  struct File;

  std::string path_;
  std::unique_ptr<File> file_;
  std::vector<StoredTable> tables_;
  std::vector<Provenance> provenance_;
};

// The rows of one kind in batches.
class StoreRows {
 public:
  StoreRows(const StoreReader& store, std::string_view kind);
  ~StoreRows();
  StoreRows(const StoreRows&) = delete;
  StoreRows& operator=(const StoreRows&) = delete;

  // An empty table with the columns and dictionaries of the store, to be given to read().
  [[nodiscard]] Table make_table() const;
  // Appends up to `max_rows` rows; false when there were none left.
  bool read(Table& table, std::size_t max_rows);

 private:
  struct Datasets;
  const StoreReader& store_;
  const StoredTable& table_;
  std::unique_ptr<Datasets> datasets_;
  std::size_t next_ = 0;
};

// Rows of a kind a call for files of either format: the one table of a CSV file, or all of a store.
[[nodiscard]] std::vector<Table> read_tables(const std::string& path, Warnings& warnings);

}  // namespace layersim
