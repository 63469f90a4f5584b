#pragma once
// What the reader and the writer share of an open HDF5 file. Included by sim/store only.

#include "sim/store/hdf5_handle.h"
#include "sim/store/provenance.h"
#include "sim/store/store_reader.h"

namespace layersim {

struct StoreReader::File {
  hdf5::Handle handle;
};

namespace store {

// The texts of a record with their names in the file.
template <typename Record, typename Visit>
void for_each_field(Record& record, Visit&& visit) {
  visit("kind", record.kind);
  visit("source_file", record.source_file);
  visit("source_sha256", record.source_sha256);
  visit("tool_version", record.tool_version);
  visit("date", record.date);
  visit("gpus", record.gpus);
  visit("frameworks", record.frameworks);
  visit("settings", record.settings);
}

}  // namespace store

}  // namespace layersim
