#pragma once
// Rows of CSV files into a store.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/warnings.h"
#include "sim/store/table.h"

namespace layersim {

struct ImportedFile {
  std::string file;
  std::string kind;
  std::size_t rows = 0;
};

// What a store should not hold although each field can be read. Each throws bad_input that does not name the
// row; an empty one lets all pass.
struct ImportChecks {
  // Of a row of layers. Called for the first that has a text in a column of texts that are known, so that
  // each is seen once; that a text is missing counts as one.
  std::function<void(const std::string& file, const Table& rows, std::size_t row)> layer;
  // Of each row of a table of runs.
  std::function<void(const std::string& file, const Table& rows, std::size_t row)> run;
  // Of the rows of layers that have both, once for each pair.
  std::function<void(std::string_view gpu, std::string_view precision)> precision;
};

// Appends the rows of all files to the store, which is made if it is not there: all of them or, on an error,
// none. Throws bad_input, naming file, line and column, and bad_use for a file that the store already has.
std::vector<ImportedFile> import_files(const std::vector<std::string>& files, const std::string& store,
                                       Warnings& warnings, const ImportChecks& checks = {});

}  // namespace layersim
