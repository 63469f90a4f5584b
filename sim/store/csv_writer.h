#pragma once
// Rows as CSV: RFC 4180 with LF line ends, numbers in the shortest form that reads back to the same value.

#include <string>

#include "sim/store/store_reader.h"

namespace layersim {

void write_csv_header(const Table& table, std::string& text);
void write_csv_rows(const Table& table, std::string& text);

// All rows of a kind, in the store's order of columns. Imported again they are the same. A file that is there
// is replaced when all is written; "-" is the standard output. Throws bad_use when it cannot be written.
void export_csv(const StoreReader& store, const std::string& kind, const std::string& path);

}  // namespace layersim
