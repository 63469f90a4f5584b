#include "sim/web/openapi.h"

#include "sim/core/config_dir.h"
#include "sim/core/error.h"
#include "sim/core/json.h"
#include "sim/core/strict_json.h"

namespace layersim {

std::string openapi_text() {
  const auto file = config_dir() / "web" / "openapi.json";
  Json json = Json::parse(read_small_file(file), nullptr, false);
  if (json.is_discarded()) throw bad_input(file.string() + ": is no JSON");
  json["info"]["version"] = LAYERSIM_VERSION;
  return json.dump(2) + '\n';
}

}  // namespace layersim
