#pragma once
// Rows of CSV files into a store.

#include <string>
#include <vector>

#include "sim/core/warnings.h"

namespace layersim {

struct ImportedFile {
  std::string file;
  std::string kind;
  std::size_t rows = 0;
};

// Appends the rows of all files to the store, which is made if it is not there: all of them or, on an error,
// none. Throws bad_input, naming file, line and column, and bad_use for a file that the store already has.
std::vector<ImportedFile> import_files(const std::vector<std::string>& files, const std::string& store,
                                       Warnings& warnings);

}  // namespace layersim
