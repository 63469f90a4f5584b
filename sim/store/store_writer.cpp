#include "sim/store/store_writer.h"

#include <filesystem>
#include <map>
#include <optional>

#include "sim/core/error.h"
#include "sim/store/column_writer.h"
#include "sim/store/store_file.h"
#include "sim/store/store_header.h"
#include "sim/store/store_layout.h"
#include "sim/store/store_lock.h"

namespace layersim {

// The columns of one kind.
class StoreWriter::TableWriter {
 public:
  TableWriter(hid_t file, const std::string& kind)
      : file_(file),
        kind_(kind),
        group_(hdf5::create_group(file, store::table_path(store::group_of(kind), kind))),
        provenance_(group_.get(),
                    {store::kProvenanceColumn, ColumnType::integer, ColumnRole::where, "1", true}, 0, 0) {}

  [[nodiscard]] std::size_t rows() const { return rows_; }

  // Starts with the rows of another store.
  void copy(const StoredTable& table, hid_t from_file) {
    const hdf5::Handle from = hdf5::open_group(from_file, store::table_path(table.group, kind_));
    for (const ColumnSpec& spec : table.columns) {
      const hdf5::Handle dataset = hdf5::open_dataset(from.get(), spec.name);
      store::ColumnWriter& column = add_column(spec);
      column.copy_rows(dataset.get(), table.rows);
      if (spec.type != ColumnType::text) continue;
      store::read_dictionary(from_file, table.group, kind_, spec.name, column.dictionary());
    }
    const hdf5::Handle dataset = hdf5::open_dataset(from.get(), store::kProvenanceColumn);
    provenance_.copy_rows(dataset.get(), table.rows);
    rows_ = table.rows;
  }

  void append(const Table& batch, std::span<const std::int32_t> provenance, ChunkEncoder& encoder) {
    for (const Column& column : batch.columns()) {
      store::ColumnWriter* own = find(column.spec.name);
      if (own != nullptr && own->spec().type != column.spec.type) {
        throw bad_input("column '" + column.spec.name + "' of kind '" + kind_ + "' is " +
                        std::string(name(own->spec().type)) + " in the store and " +
                        std::string(name(column.spec.type)) + " here");
      }
      if (own == nullptr) add_column(column.spec);
    }
    for (store::ColumnWriter& column : columns_) {
      const Column* values = batch.find(column.spec().name);
      if (values != nullptr) {
        column.append(*values, encoder);
      } else {
        column.append_missing(batch.rows(), encoder);
      }
    }
    provenance_.append_integers(provenance, encoder);
    rows_ += batch.rows();
  }

  void finish(ChunkEncoder& encoder) {
    const std::string path = store::dictionary_path(store::group_of(kind_), kind_);
    const hdf5::Handle dictionaries = hdf5::create_group(file_, path);
    for (store::ColumnWriter& column : columns_) {
      column.finish(encoder);
      if (column.spec().type != ColumnType::text) continue;
      hdf5::write_texts(dictionaries.get(), column.spec().name, column.dictionary().texts());
    }
    provenance_.finish(encoder);
    hdf5::write_attribute(group_.get(), "rows", static_cast<std::int64_t>(rows_));
  }

 private:
  store::ColumnWriter* find(std::string_view name) {
    for (store::ColumnWriter& column : columns_) {
      if (column.spec().name == name) return &column;
    }
    return nullptr;
  }

  store::ColumnWriter& add_column(const ColumnSpec& spec) {
    return columns_.emplace_back(group_.get(), spec, columns_.size(), rows_);
  }

  hid_t file_;
  std::string kind_;
  hdf5::Handle group_;
  std::vector<store::ColumnWriter> columns_;
  store::ColumnWriter provenance_;
  std::size_t rows_ = 0;
};

// In the order in which they must be undone.
struct StoreWriter::File {
  explicit File(const std::string& path) : lock(path), replacement(path) {}

  StoreLock lock;
  Replacement replacement;
  std::unique_ptr<StoreReader> old;
  hdf5::Handle handle;
  ChunkEncoder encoder;
  std::map<std::string, TableWriter> tables;
};

StoreWriter::StoreWriter(const std::string& path, Start start) : name_(path) {
  with_context(name_, [&] {
    file_ = std::make_unique<File>(resolve_links(path));
    // Say so with the system's words: HDF5 would not tell why.
    const FileDescriptor probe(file_->replacement.path(), O_RDWR | O_CREAT | O_TRUNC);
    if (!probe.is_open()) throw bad_use("cannot be written: " + system_message());
  });
  if (start == Start::with_present_rows && std::filesystem::exists(path)) {
    file_->old = std::make_unique<StoreReader>(path);
    provenance_ = file_->old->provenance();
  }
  with_context(name_, [&] {
    file_->handle = hdf5::create_file(file_->replacement.path(), kStoreHeaderBytes);
    const hid_t file = file_->handle.get();
    hdf5::write_attribute(file, "schema_version", std::int64_t{kStoreSchemaVersion});
    hdf5::write_attribute(file, "tool", std::string("layersim ") + LAYERSIM_VERSION);
    for (const char* group : {"layers", "runs", "dictionaries", store::kProvenanceColumn}) {
      static_cast<void>(hdf5::create_group(file, group));
    }
    for (const char* group : {"dictionaries/layers", "dictionaries/runs"}) {
      static_cast<void>(hdf5::create_group(file, group));
    }
  });
}

StoreWriter::~StoreWriter() = default;

std::int32_t StoreWriter::add_provenance(Provenance record) {
  record.rows = 0;
  provenance_.push_back(std::move(record));
  return static_cast<std::int32_t>(provenance_.size() - 1);
}

StoreWriter::TableWriter& StoreWriter::table_writer(const std::string& kind) {
  const auto found = file_->tables.find(kind);
  if (found != file_->tables.end()) return found->second;
  TableWriter& writer = file_->tables
                            .emplace(std::piecewise_construct, std::forward_as_tuple(kind),
                                     std::forward_as_tuple(file_->handle.get(), kind))
                            .first->second;
  const StoredTable* table = file_->old != nullptr ? file_->old->find(kind) : nullptr;
  if (table != nullptr) writer.copy(*table, file_->old->file_->handle.get());
  return writer;
}

void StoreWriter::append(const Table& batch, std::int32_t provenance) {
  const std::vector<std::int32_t> numbers(batch.rows(), provenance);
  append(batch, numbers);
}

void StoreWriter::append(const Table& batch, std::span<const std::int32_t> provenance) {
  with_context(name_, [&] {
    table_writer(batch.kind()).append(batch, provenance, file_->encoder);
    for (const std::int32_t number : provenance) ++provenance_.at(static_cast<std::size_t>(number)).rows;
  });
}

std::size_t StoreWriter::rows(const std::string& kind) const {
  const auto found = file_->tables.find(kind);
  if (found != file_->tables.end()) return found->second.rows();
  const StoredTable* table = file_->old != nullptr ? file_->old->find(kind) : nullptr;
  return table != nullptr ? table->rows : 0;
}

void StoreWriter::commit() {
  with_context(name_, [&] {
    if (file_->old != nullptr) {
      for (const StoredTable& table : file_->old->tables()) static_cast<void>(table_writer(table.kind));
    }
    for (auto& [kind, table] : file_->tables) table.finish(file_->encoder);
    file_->tables.clear();
    {
      const hdf5::Handle folder = hdf5::open_group(file_->handle.get(), store::kProvenanceColumn);
      for (std::size_t i = 0; i < provenance_.size(); ++i) {
        const hdf5::Handle group = hdf5::create_group(folder.get(), std::to_string(i));
        store::for_each_field(provenance_[i], [&](const char* field, const std::string& value) {
          hdf5::write_attribute(group.get(), field, value);
        });
        hdf5::write_attribute(group.get(), "rows", provenance_[i].rows);
      }
    }
    file_->handle.close("write the file (is the disk full?)");
    write_store_header(file_->replacement.path());
    file_->replacement.commit();
  });
}

}  // namespace layersim
