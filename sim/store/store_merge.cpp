#include "sim/store/store_merge.h"

#include <algorithm>
#include <memory>
#include <set>
#include <unordered_set>

#include "sim/store/copy_rows.h"
#include "sim/store/row_hash.h"
#include "sim/store/store_reader.h"
#include "sim/store/store_writer.h"

namespace layersim {

namespace {

constexpr std::size_t kNamedDuplicates = 5;

std::string describe_row(const Table& table, std::size_t row) {
  std::string text;
  for (const Column& column : table.columns()) {
    if (column.is_missing(row)) continue;
    text.append(text.empty() ? "" : " ").append(column.spec.name).append("=").append(column.field(row));
  }
  return text;
}

// The rows of one kind over all inputs.
class KindMerger {
 public:
  explicit KindMerger(std::string kind) { result_.kind = std::move(kind); }

  void add(const StoreReader& store, ProvenanceMap& provenance, StoreWriter& writer) {
    std::vector<std::uint64_t> present;
    std::size_t before = 0;
    StoreRows rows(store, result_.kind);
    Table batch = rows.make_table();
    for (; rows.read(batch, kBatchRows); batch.clear_rows()) {
      const auto hashes = hash_rows(batch, HashedColumns::all);
      const auto things = hash_rows(batch, HashedColumns::measured_thing);
      std::vector<char> keep(batch.rows(), 1);
      for (std::size_t row = 0; row < batch.rows(); ++row) {
        if (earlier_.contains(hashes[row])) {
          keep[row] = 0;
          ++result_.duplicates;
          if (result_.first_duplicates.size() < kNamedDuplicates) {
            result_.first_duplicates.push_back(store.path() + " row " + std::to_string(before + row + 1) +
                                               ": " + describe_row(batch, row));
          }
          continue;
        }
        present.push_back(hashes[row]);
        if (!things_.insert(things[row]).second) ++result_.repeated;
        ++result_.rows;
      }
      before += batch.rows();
      provenance.append(select_rows(batch, keep), writer);
    }
    earlier_.insert(present.begin(), present.end());
  }

  [[nodiscard]] MergedKind take() { return std::move(result_); }

 private:
  MergedKind result_;
  std::unordered_set<std::uint64_t> earlier_;  // rows of the inputs before the present one
  std::unordered_set<std::uint64_t> things_;
};

}  // namespace

std::vector<MergedKind> merge_stores(const std::vector<std::string>& inputs, const std::string& output) {
  std::vector<std::unique_ptr<StoreReader>> stores;
  std::vector<ProvenanceMap> provenance;
  std::set<std::string> kinds;
  for (const std::string& input : inputs) {
    stores.push_back(std::make_unique<StoreReader>(input));
    provenance.emplace_back(*stores.back());
    for (const StoredTable& table : stores.back()->tables()) kinds.insert(table.kind);
  }
  StoreWriter writer(output, StoreWriter::Start::empty);
  std::vector<MergedKind> merged;
  for (const std::string& kind : kinds) {
    KindMerger merger(kind);
    for (std::size_t i = 0; i < stores.size(); ++i) {
      if (stores[i]->find(kind) != nullptr) merger.add(*stores[i], provenance[i], writer);
    }
    merged.push_back(merger.take());
  }
  writer.commit();
  return merged;
}

}  // namespace layersim
