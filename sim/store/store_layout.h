#pragma once
// Names and types inside a store, schema version 1:
//
//   /                                    attributes schema_version, tool
//   /layers/<kind>, /runs/<kind>         attribute rows
//   /layers/<kind>/<column>              one value a row; attributes type, role, unit, position (column
//   number).
//                                        real: f64, NaN = missing. integer: i64, -1 = missing. text: i32, the
//                                        index into the dictionary, -1 = missing
//   /layers/<kind>/provenance            i64, the record that a row comes from
//   /dictionaries/<group>/<kind>/<column>  texts of a column
//   /provenance/<number>                 attributes: the fields of provenance.h
//
// Columns are chunked by kChunkRows and compressed by shuffle + deflate; a chunk that was never written is
// all missing.

#include <cstddef>
#include <string>

#include "sim/store/column.h"
#include "sim/store/hdf5_handle.h"
#include "sim/store/table.h"
#include "sim/store/table_kind.h"

namespace layersim::store {

inline constexpr std::size_t kChunkRows = 8192;
inline constexpr std::int64_t kMissingCount = -1;
inline constexpr const char* kProvenanceColumn = "provenance";

[[nodiscard]] std::size_t element_bytes(ColumnType type);
[[nodiscard]] hid_t element_type(ColumnType type);  // in memory; on disk the same in little-endian order

// A column without rows.
[[nodiscard]] hdf5::Handle create_column(hid_t group, const ColumnSpec& spec, std::size_t position);

// "layers/conv".
[[nodiscard]] std::string table_path(TableGroup group, const std::string& kind);
// "dictionaries/layers/conv".
[[nodiscard]] std::string dictionary_path(TableGroup group, const std::string& kind);

// Adds the stored texts of a column to an empty dictionary, so that stored codes mean the same there.
void read_dictionary(hid_t file, TableGroup group, const std::string& kind, const std::string& column,
                     Dictionary& dictionary);

// Group of a kind; kinds that table_kind.h does not list are layers.
[[nodiscard]] TableGroup group_of(const std::string& kind);

}  // namespace layersim::store
