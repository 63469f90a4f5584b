#pragma once
// Stores joined into one.

#include <cstddef>
#include <string>
#include <vector>

namespace layersim {

struct MergedKind {
  std::string kind;
  std::size_t rows = 0;        // written
  std::size_t duplicates = 0;  // rows left out because an earlier store has the same row in every field
  std::size_t repeated = 0;    // rows kept that measure the same thing (all but the result) as an earlier row
  std::vector<std::string> first_duplicates;  // the first few: "b.h5 row 17: gpu=k80 batch=4 ..."
};

// Writes the rows of all inputs, in their order, to `output`, which may be one of them. A row that an earlier
// input has in every field is left out and counted; rows that are equal within one input stay (the same
// problem may belong to two networks), and so do repeated measurements with different results. Memory: 16
// bytes a row.
std::vector<MergedKind> merge_stores(const std::vector<std::string>& inputs, const std::string& output);

}  // namespace layersim
