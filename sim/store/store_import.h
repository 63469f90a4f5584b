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

// What a store should not hold although each field can be read. Each throws bad_input and is called once for
// each distinct value; an empty one lets all pass.
struct ImportChecks {
  std::function<void(std::string_view kind, std::string_view mode)> mode;  // also of rows without one
  // Of the rows that have both.
  std::function<void(std::string_view gpu, std::string_view precision)> precision;
};

// Appends the rows of all files to the store, which is made if it is not there: all of them or, on an error,
// none. Throws bad_input, naming file, line and column, and bad_use for a file that the store already has.
std::vector<ImportedFile> import_files(const std::vector<std::string>& files, const std::string& store,
                                       Warnings& warnings, const ImportChecks& checks = {});

}  // namespace layersim
