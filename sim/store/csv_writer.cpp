#include "sim/store/csv_writer.h"

#include <cstdio>
#include <filesystem>

#include "sim/core/csv_text.h"
#include "sim/core/error.h"
#include "sim/core/regular_file.h"
#include "sim/store/copy_rows.h"
#include "sim/store/file_descriptor.h"
#include "sim/store/store_lock.h"

namespace layersim {

namespace {

void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(fd, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw bad_use("cannot write: " + system_message());
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

void export_rows(const StoreReader& store, const std::string& kind, int fd) {
  StoreRows rows(store, kind);
  Table batch = rows.make_table();
  std::string text;
  write_csv_header(batch, text);
  write_all(fd, text);
  for (; rows.read(batch, kBatchRows); batch.clear_rows()) {
    text.clear();
    write_csv_rows(batch, text);
    write_all(fd, text);
  }
}

}  // namespace

void write_csv_header(const Table& table, std::string& text) {
  CsvLine line(text);
  for (const Column& column : table.columns()) line.add(column.spec.name);
}

void write_csv_rows(const Table& table, std::string& text) {
  for (std::size_t row = 0; row < table.rows(); ++row) {
    CsvLine line(text);
    for (const Column& column : table.columns()) {
      if (column.is_missing(row)) {
        line.add("");
      } else if (column.is_text()) {
        line.add(column.dictionary.text(column.codes[row]));
      } else {
        line.add(column.numbers[row]);
      }
    }
  }
}

void export_csv(const StoreReader& store, const std::string& kind, const std::string& path) {
  static_cast<void>(store.table(kind));  // before anything is written
  with_context(path, [&] {
    if (path == "-") return export_rows(store, kind, STDOUT_FILENO);
    if (is_device_or_pipe(path))
      return export_rows(store, kind, FileDescriptor(open_device_or_pipe(path)).get());
    Replacement replacement(resolve_links(path));
    {
      const FileDescriptor file(replacement.path(), O_WRONLY | O_CREAT | O_TRUNC);
      if (!file.is_open()) throw bad_use("cannot write: " + system_message());
      export_rows(store, kind, file.get());
    }
    replacement.commit();
  });
}

}  // namespace layersim
