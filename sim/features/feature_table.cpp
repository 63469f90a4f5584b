#include "sim/features/feature_table.h"

#include "sim/core/csv_text.h"
#include "sim/features/device_numbers.h"
#include "sim/features/feature_family.h"
#include "sim/features/network_queries.h"

namespace layersim {
namespace {

void add_line(std::string& text, std::size_t index, const Layer& layer, const FeatureFamily& family,
              const FeatureSpec& spec, float value) {
  CsvLine line(text);
  line.add(static_cast<double>(index));
  line.add(layer.name);
  line.add(family.name);
  line.add(spec.name);
  line.add(static_cast<double>(value));
  line.add(spec.unit);
}

}  // namespace

std::string feature_table(const Network& network, const Conditions& conditions) {
  std::string text = "index,name,family,feature,value,unit\n";
  const std::vector<LayerQuery> queries = make_queries(network);
  const DeviceNumbers device(conditions);
  const std::vector<float> of_device = device_features(conditions);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const FeatureFamily* family = find_feature_family(*queries[i].problem);
    if (family == nullptr) continue;
    const Pass pass = conditions.mode == Mode::training ? Pass::training : Pass::forward;
    std::vector<float> features(family->features.size());
    std::vector<float> terms(family->terms.size());
    family->fill({.layer = queries[i], .pass = pass}, device, features.data(), terms.data());
    const Layer& layer = network.layers[i];
    for (std::size_t f = 0; f < features.size(); ++f) {
      add_line(text, i, layer, *family, family->features[f], features[f]);
    }
    for (std::size_t t = 0; t < terms.size(); ++t) {
      add_line(text, i, layer, *family, {.name = "term:" + std::string(family->terms[t]), .unit = "log ms"},
               terms[t]);
    }
    for (std::size_t d = 0; d < of_device.size(); ++d) {
      add_line(text, i, layer, *family, device_feature_specs()[d], of_device[d]);
    }
  }
  return text;
}

}  // namespace layersim
