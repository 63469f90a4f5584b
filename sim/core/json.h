#pragma once
// JSON by nlohmann, keys in the order in which they were set. Strict reading of our own files: strict_json.h.

#include <nlohmann/json.hpp>

namespace layersim {

using Json = nlohmann::ordered_json;

}  // namespace layersim
