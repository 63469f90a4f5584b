#include "sim/cli/store_info_text.h"

#include "sim/cli/output.h"
#include "sim/report/readable_text.h"
#include "sim/report/text_table.h"

namespace layersim {
namespace {

std::string with_unit(const ColumnSpec& spec) {
  return spec.unit.empty() || spec.unit == "1" ? spec.name : spec.name + " (" + spec.unit + ')';
}

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all.append(all.empty() ? "" : ", ").append(printable(text));
  return all;
}

std::string describe_kind(const StoreReader& store, const StoredTable& table) {
  std::string text = table.kind + ": " + with_thousands(static_cast<double>(table.rows)) + " rows\n";
  const Table columns = StoreRows(store, table.kind).make_table();
  for (const char* place : {"gpu", "framework"}) {
    const Column* column = columns.find(place);
    if (column == nullptr) continue;
    text += std::string("  ") + place + ": " + joined(column->dictionary.texts()) + '\n';
  }
  std::vector<std::string> names;
  for (const ColumnSpec& spec : table.columns) names.push_back(with_unit(spec));
  return text + "  columns: " + joined(names) + '\n';
}

}  // namespace

std::string store_info_text(const StoreReader& store) {
  std::string text;
  for (const StoredTable& table : store.tables()) text += describe_kind(store, table) + '\n';
  TextTable records({{.header = "from", .shrinks = true},
                     {.header = "kind"},
                     {.header = "rows", .right = true},
                     {.header = "date", .importance = 2},
                     {.header = "layersim", .importance = 1},
                     {.header = "SHA-256", .importance = 1}});
  records.add_rule();
  for (const Provenance& record : store.provenance()) {
    records.add_row({printable(record.source_file), record.kind,
                     with_thousands(static_cast<double>(record.rows)), record.date, record.tool_version,
                     record.source_sha256.substr(0, 12)});
  }
  return text + records.to_text(static_cast<std::size_t>(output_width()));
}

}  // namespace layersim
