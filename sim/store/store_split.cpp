#include "sim/store/store_split.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "sim/core/error.h"
#include "sim/store/copy_rows.h"
#include "sim/store/row_hash.h"
#include "sim/store/store_lock.h"

namespace layersim {

namespace {

// The column that names the GPU or the network; nullptr when rows of this kind have none.
const Column* name_column(const Table& table, SplitBy by) {
  if (by == SplitBy::gpu) return table.find("gpu");
  const Column* model = table.find("model");
  return model != nullptr ? model : table.find("network");
}

std::vector<std::string> names_in(const StoreReader& store, SplitBy by) {
  std::set<std::string> names;
  for (const StoredTable& table : store.tables()) {
    const Table columns = StoreRows(store, table.kind).make_table();
    const Column* column = name_column(columns, by);
    if (column != nullptr) names.insert(column->dictionary.texts().begin(), column->dictionary.texts().end());
  }
  return {names.begin(), names.end()};
}

std::vector<std::string> draw_names(std::vector<std::string> names, const SplitOptions& options) {
  if (names.size() < 2) throw bad_use("fewer than two names to split by");
  std::sort(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
    return hash_text(a, options.seed) < hash_text(b, options.seed);
  });
  const double wanted = std::round(options.test_share * static_cast<double>(names.size()));
  names.resize(std::clamp<std::size_t>(static_cast<std::size_t>(wanted), 1, names.size() - 1));
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> test_names(const StoreReader& store, const SplitOptions& options) {
  if (options.by == SplitBy::configuration) return {};
  std::vector<std::string> names = names_in(store, options.by);
  if (options.test_names.empty()) return draw_names(std::move(names), options);
  for (const std::string& name : options.test_names) {
    if (!std::binary_search(names.begin(), names.end(), name)) {
      throw bad_use(std::string("has no ") + (options.by == SplitBy::gpu ? "GPU" : "network") + " '" + name +
                    "'");
    }
  }
  return options.test_names;
}

// 1 for rows to test on.
std::vector<char> test_rows(const Table& batch, const SplitOptions& options,
                            const std::vector<std::string>& names) {
  std::vector<char> test(batch.rows(), 0);
  if (options.by == SplitBy::configuration) {
    const auto hashes = hash_rows(batch, HashedColumns::features, options.seed);
    const double limit = options.test_share * 0x1p64;
    for (std::size_t row = 0; row < test.size(); ++row) test[row] = static_cast<double>(hashes[row]) < limit;
    return test;
  }
  const Column* column = name_column(batch, options.by);
  if (column == nullptr) return test;
  const std::set<std::string_view> wanted(names.begin(), names.end());
  std::vector<char> by_code;
  for (const std::string& text : column->dictionary.texts()) by_code.push_back(wanted.contains(text));
  for (std::size_t row = 0; row < test.size(); ++row) {
    const std::int32_t code = column->codes[row];
    if (code != kMissingCode) test[row] = by_code[static_cast<std::size_t>(code)];
  }
  return test;
}

}  // namespace

Split split_store(const std::string& input, const SplitOptions& options, const std::string& train,
                  const std::string& test) {
  if (!(options.test_share > 0 && options.test_share < 1)) {
    throw bad_use("the share to test on must lie between 0 and 1");
  }
  if (resolve_links(train) == resolve_links(test)) throw bad_use(train + " is given for both sides");
  const StoreReader store(input);
  Split split;
  split.test_names = with_context(input, [&] { return test_names(store, options); });
  StoreWriter train_writer(train, StoreWriter::Start::empty);
  StoreWriter test_writer(test, StoreWriter::Start::empty);
  ProvenanceMap train_provenance(store);
  ProvenanceMap test_provenance(store);
  std::size_t train_total = 0;
  std::size_t test_total = 0;
  for (const StoredTable& table : store.tables()) {
    SplitKind kind{table.kind, 0, 0};
    StoreRows rows(store, table.kind);
    Table batch = rows.make_table();
    for (; rows.read(batch, kBatchRows); batch.clear_rows()) {
      std::vector<char> keep = test_rows(batch, options, split.test_names);
      const Table tested = select_rows(batch, keep);
      for (char& row : keep) row = row == 0 ? 1 : 0;
      const Table trained = select_rows(batch, keep);
      kind.test_rows += tested.rows();
      kind.train_rows += trained.rows();
      if (tested.rows() > 0) test_provenance.append(tested, test_writer);
      if (trained.rows() > 0) train_provenance.append(trained, train_writer);
    }
    train_total += kind.train_rows;
    test_total += kind.test_rows;
    split.kinds.push_back(std::move(kind));
  }
  if (train_total == 0 || test_total == 0) {
    throw bad_use(input + ": no rows would be left to " + (train_total == 0 ? "train" : "test") + " on");
  }
  train_writer.commit();
  test_writer.commit();
  return split;
}

}  // namespace layersim
