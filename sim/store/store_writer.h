#pragma once
// Writing a store. A writer makes a whole new file and puts it in the place of the old one when it commits
// (see store_lock.h): killed before, it has changed nothing; after, everything is on the disk. One process
// writes a store at a time. Memory: a chunk for each column, whatever the number of rows.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/store/provenance.h"
#include "sim/store/store_reader.h"
#include "sim/store/table.h"

namespace layersim {

class StoreWriter {
 public:
  enum class Start : unsigned char {
    with_present_rows,  // those of the store that is there, if any
    empty,
  };
  // Throws bad_use when the store cannot be written or another process writes it, bad_input when it is
  // damaged.
  StoreWriter(const std::string& path, Start start);
  // Without commit() the old store stays as it is.
  ~StoreWriter();
  StoreWriter(const StoreWriter&) = delete;
  StoreWriter& operator=(const StoreWriter&) = delete;

  [[nodiscard]] const std::vector<Provenance>& provenance() const { return provenance_; }
  // Returns the number of the record. Its count of rows is kept by the writer.
  std::int32_t add_provenance(Provenance record);
  // For what is known only after the rows.
  Provenance& provenance(std::int32_t number) { return provenance_.at(static_cast<std::size_t>(number)); }

  // Appends all rows of the batch to those of its kind. Columns are matched by name; those that one side
  // lacks are missing there. Throws bad_input when a column holds texts on one side and numbers on the other.
  void append(const Table& batch, std::int32_t provenance);
  // The same with a record for each row.
  void append(const Table& batch, std::span<const std::int32_t> provenance);

  // Rows of a kind so far, those that were there before included.
  [[nodiscard]] std::size_t rows(const std::string& kind) const;

  // On return the rows are on the disk and in the store. To be called once, last.
  void commit();

 private:
  struct File;
  class TableWriter;
  TableWriter& table_writer(const std::string& kind);

  std::string name_;  // as the user gave it
  std::unique_ptr<File> file_;
  std::vector<Provenance> provenance_;
};

}  // namespace layersim
