#include "sim/core/warnings.h"

#include <utility>

namespace layersim {

void Warnings::add(std::string text) {
  if (said_.insert(text).second) all_.push_back(std::move(text));
}

}  // namespace layersim
