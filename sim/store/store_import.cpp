#include "sim/store/store_import.h"

#include <filesystem>
#include <future>
#include <set>
#include <utility>

#include "sim/core/error.h"
#include "sim/store/copy_rows.h"
#include "sim/store/csv_rows.h"
#include "sim/store/size_columns.h"
#include "sim/store/store_writer.h"

namespace layersim {

namespace {

// Each pair of GPU and precision is checked where it is first met.
class PrecisionChecker {
 public:
  explicit PrecisionChecker(const PrecisionCheck& check) : check_(check) {}

  void check(const Table& batch) {
    const Column* gpus = batch.find("gpu");
    const Column* precisions = batch.find("precision");
    if (!check_ || gpus == nullptr || precisions == nullptr) return;
    for (std::size_t row = 0; row < batch.rows(); ++row) {
      const std::pair met{gpus->codes[row], precisions->codes[row]};
      if (met.second == kMissingCode || !met_.insert(met).second) continue;
      with_context(batch.place(row) + ": column 'precision'", [&] {
        check_(gpus->dictionary.text(met.first), precisions->dictionary.text(met.second));
      });
    }
  }

 private:
  const PrecisionCheck& check_;
  std::set<std::pair<std::int32_t, std::int32_t>> met_;
};

ImportedFile import_file(const std::string& file, StoreWriter& store, Warnings& warnings,
                         const PrecisionCheck& check) {
  CsvRows rows(file, warnings);
  const std::string kind(rows.kind().name);
  Provenance record = new_provenance(kind);
  record.source_file = std::filesystem::path(file).filename().string();
  const std::int32_t number = store.add_provenance(std::move(record));
  DistinctTexts gpus;
  DistinctTexts frameworks;
  PrecisionChecker precisions(check);
  // While one batch is being compressed and written, the next one is parsed.
  Table batch = rows.make_table();
  Table next = rows.make_table();
  const auto parse_next = [&] {
    next.clear_rows();
    return rows.read(next, kBatchRows);
  };
  bool more = rows.read(batch, kBatchRows);
  while (more) {
    check_sizes(batch);
    precisions.check(batch);
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
                                       Warnings& warnings, const PrecisionCheck& check) {
  StoreWriter writer(store, StoreWriter::Start::with_present_rows);
  std::vector<ImportedFile> imported;
  imported.reserve(files.size());
  for (const std::string& file : files) {
    imported.push_back(with_context(file, [&] { return import_file(file, writer, warnings, check); }));
  }
  writer.commit();
  return imported;
}

}  // namespace layersim
