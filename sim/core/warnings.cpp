#include "sim/core/warnings.h"

#include <algorithm>
#include <utility>

namespace layersim {

void Warnings::add(std::string text) {
  if (std::find(all_.begin(), all_.end(), text) == all_.end()) all_.push_back(std::move(text));
}

}  // namespace layersim
