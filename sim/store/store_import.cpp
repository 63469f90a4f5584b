#include "sim/store/store_import.h"

#include <filesystem>
#include <future>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "sim/core/error.h"
#include "sim/store/copy_rows.h"
#include "sim/store/csv_rows.h"
#include "sim/store/size_columns.h"
#include "sim/store/store_writer.h"
#include "sim/store/table_kind.h"

namespace layersim {

namespace {

// Each text of a column, and each pair of GPU and precision, is checked where it is first met.
class RowChecker {
 public:
  RowChecker(const std::string& file, const ImportChecks& checks) : file_(file), checks_(checks) {}

  void check(const Table& batch) {
    check_sizes(batch);
    if (find_table_kind(batch.kind())->group == TableGroup::runs) return check_runs(batch);
    check_texts(batch);
    check_precisions(batch);
  }

 private:
  void check_runs(const Table& batch) {
    if (!checks_.run) return;
    for (std::size_t row = 0; row < batch.rows(); ++row)
      with_context(batch.place(row), [&] { checks_.run(file_, batch, row); });
  }

  void check_texts(const Table& batch) {
    if (!checks_.layer) return;
    std::set<std::size_t> rows;
    for (const Column& column : batch.columns()) {
      if (column.is_text() && column.spec.known) add_first_rows(column, rows);
    }
    for (const std::size_t row : rows) {
      with_context(batch.place(row), [&] { checks_.layer(file_, batch, row); });
    }
  }

  // Those with texts that no earlier row has.
  void add_first_rows(const Column& column, std::set<std::size_t>& rows) {
    std::vector<bool> is_met(column.dictionary.texts().size() + 1);  // the first: that there is none
    for (std::size_t row = 0; row < column.codes.size(); ++row) {
      const auto place = static_cast<std::size_t>(column.codes[row] - kMissingCode);
      if (is_met[place]) continue;
      is_met[place] = true;
      if (texts_[column.spec.name].insert(column.field(row)).second) rows.insert(row);
    }
  }

  void check_precisions(const Table& batch) {
    const Column* gpus = batch.find("gpu");
    const Column* precisions = batch.find("precision");
    if (!checks_.precision || gpus == nullptr || precisions == nullptr) return;
    std::set<std::pair<std::int32_t, std::int32_t>> codes;
    for (std::size_t row = 0; row < batch.rows(); ++row) {
      if (precisions->codes[row] == kMissingCode) continue;
      if (!codes.emplace(gpus->codes[row], precisions->codes[row]).second) continue;
      const std::string_view gpu = batch.text("gpu", row);
      const std::string_view precision = batch.text("precision", row);
      if (!precisions_.emplace(gpu, precision).second) continue;
      with_context(batch.place(row) + ": column 'precision'", [&] { checks_.precision(gpu, precision); });
    }
  }

  const std::string& file_;
  const ImportChecks& checks_;
  std::map<std::string, std::set<std::string>> texts_;  // that were met, by the column
  std::set<std::pair<std::string, std::string>> precisions_;
};

ImportedFile import_file(const std::string& file, StoreWriter& store, Warnings& warnings,
                         const ImportChecks& checks) {
  CsvRows rows(file, warnings);
  const std::string kind(rows.kind().name);
  Provenance record = new_provenance(kind);
  record.source_file = std::filesystem::path(file).filename().string();
  const std::int32_t number = store.add_provenance(std::move(record));
  DistinctTexts gpus;
  DistinctTexts frameworks;
  RowChecker checker(file, checks);
  // While one batch is being compressed and written, the next one is parsed.
  Table batch = rows.make_table();
  Table next = rows.make_table();
  const auto parse_next = [&] {
    next.clear_rows();
    return rows.read(next, kBatchRows);
  };
  bool more = rows.read(batch, kBatchRows);
  if (!more) throw bad_input("has no rows");
  while (more) {
    checker.check(batch);
    std::future<bool> parsed = std::async(std::launch::async, parse_next);
    gpus.add(batch, "gpu");
    frameworks.add(batch, "framework");
    store.append(batch, number);
    more = parsed.get();
    std::swap(batch, next);
  }
  for (const Provenance& earlier : store.provenance()) {
    if (earlier.kind == kind && earlier.source_sha256 == rows.sha256()) {
      throw bad_use("its rows are in the store already (as " + earlier.source_file + ")");
    }
  }
  Provenance& written = store.provenance(number);
  written.source_sha256 = rows.sha256();
  written.gpus = gpus.joined();
  written.frameworks = frameworks.joined();
  return {file, kind, static_cast<std::size_t>(written.rows)};
}

}  // namespace

std::vector<ImportedFile> import_files(const std::vector<std::string>& files, const std::string& store,
                                       Warnings& warnings, const ImportChecks& checks) {
  StoreWriter writer(store, StoreWriter::Start::with_present_rows);
  std::vector<ImportedFile> imported;
  imported.reserve(files.size());
  for (const std::string& file : files) {
    imported.push_back(with_context(file, [&] { return import_file(file, writer, warnings, checks); }));
  }
  writer.commit();
  return imported;
}

}  // namespace layersim
