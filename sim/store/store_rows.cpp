#include <algorithm>
#include <limits>

#include "sim/core/error.h"
#include "sim/store/store_file.h"
#include "sim/store/store_layout.h"
#include "sim/store/store_reader.h"

namespace layersim {

struct StoreRows::Datasets {
  std::vector<hdf5::Handle> columns;
  hdf5::Handle provenance;
  std::vector<std::int64_t> counts;  // scratch
};

namespace {

template <typename Value>
void read_range(hid_t dataset, hid_t type, hsize_t first, hsize_t count, Value* values) {
  const hdf5::Handle space(H5Dget_space(dataset), H5Sclose, "read the size of a dataset");
  hdf5::check(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, &first, nullptr, &count, nullptr),
              "select rows");
  const hdf5::Handle memory(H5Screate_simple(1, &count, nullptr), H5Sclose, "make a data space");
  hdf5::check(H5Dread(dataset, type, memory.get(), space.get(), H5P_DEFAULT, values), "read a column");
}

}  // namespace

StoreRows::StoreRows(const StoreReader& store, std::string_view kind)
    : store_(store), table_(store.table(kind)), datasets_(std::make_unique<Datasets>()) {
  with_context(store.path(), [&] {
    const hdf5::Handle group =
        hdf5::open_group(store.file_->handle.get(), store::table_path(table_.group, table_.kind));
    for (const ColumnSpec& spec : table_.columns) {
      datasets_->columns.push_back(hdf5::open_dataset(group.get(), spec.name));
    }
    datasets_->provenance = hdf5::open_dataset(group.get(), store::kProvenanceColumn);
  });
}

StoreRows::~StoreRows() = default;

Table StoreRows::make_table() const {
  return with_context(store_.path(), [&] {
    Table table(table_.kind);
    for (const ColumnSpec& spec : table_.columns) {
      Column& column = table.add_column(spec);
      if (!column.is_text()) continue;
      store::read_dictionary(store_.file_->handle.get(), table_.group, table_.kind, spec.name,
                             column.dictionary);
    }
    return table;
  });
}

bool StoreRows::read(Table& table, std::size_t max_rows) {
  const std::size_t count = std::min(max_rows, table_.rows - next_);
  if (count == 0) return false;
  std::vector<std::int64_t>& counts = datasets_->counts;
  with_context(store_.path(), [&] {
    for (std::size_t i = 0; i < table_.columns.size(); ++i) {
      Column& column = table.columns()[i];
      const hid_t dataset = datasets_->columns[i].get();
      const hid_t type = store::element_type(column.spec.type);
      const std::size_t before = table.rows();
      if (column.is_text()) {
        column.codes.resize(before + count);
        read_range(dataset, type, next_, count, column.codes.data() + before);
        const auto texts = static_cast<std::int32_t>(column.dictionary.texts().size());
        for (std::size_t row = before; row < before + count; ++row) {
          if (column.codes[row] < kMissingCode || column.codes[row] >= texts) {
            throw bad_input("column '" + column.spec.name + "' has a code without a text");
          }
        }
        continue;
      }
      column.numbers.resize(before + count);
      if (column.spec.type == ColumnType::real) {
        read_range(dataset, type, next_, count, column.numbers.data() + before);
        continue;
      }
      // In blocks: the scratch memory must not grow with the number of rows asked for.
      for (std::size_t done = 0; done < count; done += store::kChunkRows) {
        counts.resize(std::min(store::kChunkRows, count - done));
        read_range(dataset, type, next_ + done, counts.size(), counts.data());
        std::transform(
            counts.begin(), counts.end(), column.numbers.data() + before + done, [](std::int64_t value) {
              return value < 0 ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(value);
            });
      }
    }
    std::vector<std::int32_t>& provenance = table.provenance();
    provenance.resize(table.rows() + count);
    read_range(datasets_->provenance.get(), H5T_NATIVE_INT32, next_, count, provenance.data() + table.rows());
    for (std::size_t row = table.rows(); row < provenance.size(); ++row) {
      if (provenance[row] < 0 || static_cast<std::size_t>(provenance[row]) >= store_.provenance().size()) {
        throw bad_input("a row has no provenance record");
      }
    }
  });
  next_ += count;
  table.set_rows(table.rows() + count);
  return true;
}

}  // namespace layersim
