#include "sim/core/json.h"
#include "sim/zoo/zoo.h"

namespace layersim {

std::string zoo_json() {
  Json list = Json::array();
  for (const ZooNetwork& network : zoo_networks()) {
    list.push_back({{"name", network.name}, {"family", network.family}, {"summary", network.summary}});
  }
  return Json{{"schema_version", 1}, {"networks", list}}.dump(2) + '\n';
}

}  // namespace layersim
