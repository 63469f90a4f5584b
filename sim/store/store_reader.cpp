#include "sim/store/store_reader.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "sim/core/error.h"
#include "sim/store/csv_rows.h"
#include "sim/store/store_file.h"
#include "sim/store/store_header.h"
#include "sim/store/store_layout.h"

namespace layersim {

namespace {

ColumnType read_type(hid_t dataset) {
  const std::string text = hdf5::read_text_attribute(dataset, "type");
  for (const ColumnType type : {ColumnType::text, ColumnType::integer, ColumnType::real}) {
    if (text == name(type)) return type;
  }
  throw bad_input("a column has the unknown type '" + text + "'");
}

ColumnRole read_role(hid_t dataset) {
  const std::string text = hdf5::read_text_attribute(dataset, "role");
  for (const ColumnRole role : {ColumnRole::feature, ColumnRole::where, ColumnRole::measured}) {
    if (text == name(role)) return role;
  }
  throw bad_input("a column has the unknown role '" + text + "'");
}

ColumnSpec read_spec(hid_t dataset, const std::string& column) {
  return {column, read_type(dataset), read_role(dataset), hdf5::read_text_attribute(dataset, "unit"),
          column_spec(column).known};
}

StoredTable read_table_info(hid_t file, TableGroup group, const std::string& kind) {
  StoredTable table{kind, group, 0, {}};
  const hdf5::Handle folder = hdf5::open_group(file, store::table_path(group, kind));
  const std::int64_t rows = hdf5::read_integer_attribute(folder.get(), "rows");
  std::vector<std::pair<std::int64_t, ColumnSpec>> columns;
  for (const std::string& column : hdf5::member_names(folder.get())) {
    const hdf5::Handle dataset = hdf5::open_dataset(folder.get(), column);
    if (static_cast<std::int64_t>(hdf5::dataset_size(dataset.get())) != rows) {
      throw bad_input("column '" + column + "' of kind '" + kind + "' has not as many rows as the kind");
    }
    if (column == store::kProvenanceColumn) continue;
    columns.emplace_back(hdf5::read_integer_attribute(dataset.get(), "position"),
                         read_spec(dataset.get(), column));
  }
  std::stable_sort(columns.begin(), columns.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  table.rows = static_cast<std::size_t>(rows);
  for (auto& [position, spec] : columns) table.columns.push_back(std::move(spec));
  return table;
}

std::vector<Provenance> read_provenance(hid_t file) {
  const hdf5::Handle folder = hdf5::open_group(file, store::kProvenanceColumn);
  std::vector<Provenance> records(hdf5::member_names(folder.get()).size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    const hdf5::Handle group = hdf5::open_group(folder.get(), std::to_string(i));
    store::for_each_field(records[i], [&](const char* field, std::string& value) {
      value = hdf5::read_text_attribute(group.get(), field);
    });
    records[i].rows = hdf5::read_integer_attribute(group.get(), "rows");
  }
  return records;
}

}  // namespace

StoreReader::StoreReader(const std::string& path) : path_(path) {
  with_context(path, [&] {
    check_store_header(path);
    file_ = std::make_unique<File>(File{hdf5::open_file(path)});
    const hid_t file = file_->handle.get();
    for (const TableGroup group : {TableGroup::layers, TableGroup::runs}) {
      const hdf5::Handle folder = hdf5::open_group(file, std::string(name(group)));
      for (const std::string& kind : hdf5::member_names(folder.get())) {
        tables_.push_back(read_table_info(file, group, kind));
      }
    }
    provenance_ = read_provenance(file);
  });
}

StoreReader::~StoreReader() = default;

const StoredTable* StoreReader::find(std::string_view kind) const {
  const auto found = std::find_if(tables_.begin(), tables_.end(),
                                  [&](const StoredTable& table) { return table.kind == kind; });
  return found == tables_.end() ? nullptr : &*found;
}

const StoredTable& StoreReader::table(std::string_view kind) const {
  const StoredTable* found = find(kind);
  if (found == nullptr) throw bad_use(path_ + " has no rows of kind '" + std::string(kind) + "'");
  return *found;
}

Table StoreReader::read(std::string_view kind) const {
  StoreRows rows(*this, kind);
  Table table = rows.make_table();
  rows.read(table, this->table(kind).rows);
  return table;
}

std::vector<Table> read_tables(const std::string& path, Warnings& warnings) {
  std::vector<Table> tables;
  if (looks_like_store(path)) {
    const StoreReader store(path);
    for (const StoredTable& table : store.tables()) tables.push_back(store.read(table.kind));
  } else {
    tables.push_back(read_csv(path, warnings));
  }
  return tables;
}

}  // namespace layersim
