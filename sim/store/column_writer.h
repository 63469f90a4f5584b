#pragma once
// One column of a store that is being written: collects a chunk of rows, compresses it and writes it past
// HDF5's filters. Included by sim/store only.

#include <cstdint>
#include <span>
#include <vector>

#include "sim/store/chunk_codec.h"
#include "sim/store/hdf5_handle.h"
#include "sim/store/table.h"

namespace layersim::store {

class ColumnWriter {
 public:
  // A new column in which the first `rows` rows are missing.
  ColumnWriter(hid_t group, ColumnSpec spec, std::size_t position, std::size_t rows);
  // Starts with the `rows` rows of the same column of another store. Compressed chunks are copied as they
  // are.
  void copy_rows(hid_t from, std::size_t rows);

  [[nodiscard]] const ColumnSpec& spec() const { return spec_; }
  [[nodiscard]] Dictionary& dictionary() { return dictionary_; }

  // Rows of a batch; the types agree.
  void append(const Column& column, ChunkEncoder& encoder);
  void append_missing(std::size_t rows, ChunkEncoder& encoder);
  void append_integers(std::span<const std::int32_t> values, ChunkEncoder& encoder);
  // Writes what is left; nothing may be appended afterwards.
  void finish(ChunkEncoder& encoder);

 private:
  // Calls fill(bytes, first, count) for pieces of `rows` rows that fit the chunk, and writes chunks as they
  // become full.
  template <typename Fill>
  void append_pieces(std::size_t rows, ChunkEncoder& encoder, Fill fill);
  void write_chunk(ChunkEncoder& encoder);
  void allocate();

  ColumnSpec spec_;
  hdf5::Handle dataset_;
  Dictionary dictionary_;
  std::size_t element_bytes_;
  std::size_t written_ = 0;           // rows in complete chunks on disk
  std::size_t filled_ = 0;            // rows in chunk_
  std::vector<unsigned char> chunk_;  // allocated when the first row comes
};

}  // namespace layersim::store
