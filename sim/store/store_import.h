#pragma once
// Rows of CSV files into a store.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/warnings.h"

namespace layersim {

struct ImportedFile {
  std::string file;
  std::string kind;
  std::size_t rows = 0;
};

// Throws bad_input when the GPU has no such precision. Called for the rows that have both fields.
using PrecisionCheck = std::function<void(std::string_view gpu, std::string_view precision)>;

// Appends the rows of all files to the store, which is made if it is not there: all of them or, on an error,
// none. Throws bad_input, naming file, line and column, and bad_use for a file that the store already has.
// Without a check the precisions are taken as they are.
std::vector<ImportedFile> import_files(const std::vector<std::string>& files, const std::string& store,
                                       Warnings& warnings, const PrecisionCheck& check = {});

}  // namespace layersim
