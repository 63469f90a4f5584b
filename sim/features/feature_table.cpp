#include "sim/features/feature_table.h"

#include <map>

#include "sim/core/csv_text.h"
#include "sim/features/features.h"
#include "sim/features/network_queries.h"

namespace layersim {

std::string feature_table(const Network& network, const Conditions& conditions) {
  std::string text = "index,name,kind,feature,value,unit\n";
  std::map<const LayerKind*, FeatureColumns> columns_by_kind;
  const std::vector<LayerQuery> queries = make_queries(network);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const LayerKind* kind = queries[i].problem->kind;
    if (kind == nullptr) continue;
    const FeatureColumns& columns = columns_by_kind.try_emplace(kind, *kind).first->second;
    std::vector<float> row(columns.size());
    FeatureWriter(columns, conditions).write(queries[i], row);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      CsvLine line(text);
      line.add(static_cast<double>(i));
      line.add(network.layers[i].name);
      line.add(kind->name);
      line.add(columns.all()[c].name);
      line.add(static_cast<double>(row[c]));
      line.add(columns.all()[c].unit);
    }
  }
  return text;
}

}  // namespace layersim
