#include "sim/store/store_info.h"

#include "sim/store/store_header.h"

namespace layersim {

namespace {

Json columns_json(const StoredTable& table) {
  Json columns = Json::array();
  for (const ColumnSpec& spec : table.columns) {
    columns.push_back(
        {{"name", spec.name}, {"type", name(spec.type)}, {"unit", spec.unit}, {"role", name(spec.role)}});
  }
  return columns;
}

Json texts_json(const Table& columns, std::string_view column) {
  const Column* found = columns.find(column);
  return found == nullptr ? Json::array() : Json(found->dictionary.texts());
}

}  // namespace

Json store_info_json(const StoreReader& store) {
  Json info = {{"store", store.path()}, {"store_schema_version", kStoreSchemaVersion}};
  Json& kinds = info["kinds"] = Json::array();
  for (const StoredTable& table : store.tables()) {
    const Table columns = StoreRows(store, table.kind).make_table();
    kinds.push_back({{"kind", table.kind},
                     {"group", name(table.group)},
                     {"rows", table.rows},
                     {"gpus", texts_json(columns, "gpu")},
                     {"frameworks", texts_json(columns, "framework")},
                     {"columns", columns_json(table)}});
  }
  Json& records = info["provenance"] = Json::array();
  for (const Provenance& record : store.provenance()) {
    Json settings = Json::parse(record.settings, nullptr, false);
    if (settings.is_discarded()) settings = record.settings.empty() ? Json(nullptr) : Json(record.settings);
    records.push_back({{"kind", record.kind},
                       {"rows", record.rows},
                       {"source_file", record.source_file},
                       {"source_sha256", record.source_sha256},
                       {"tool_version", record.tool_version},
                       {"date", record.date},
                       {"gpus", record.gpus},
                       {"frameworks", record.frameworks},
                       {"settings", settings}});
  }
  return info;
}

}  // namespace layersim
