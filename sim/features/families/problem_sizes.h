#pragma once
// Fast access to the parameters of a kind: the place of each is looked up once.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "layers/layer_kind.h"
#include "sim/core/error.h"

namespace layersim {

class ParameterPlace {
 public:
  ParameterPlace(std::string_view kind, std::string_view parameter) {
    const LayerKind* found = find_layer_kind(kind);
    if (found == nullptr) throw internal_error("no layer kind '" + std::string(kind) + "'");
    while (index_ < found->parameters.size() && found->parameters[index_].name != parameter) ++index_;
    if (index_ == found->parameters.size()) {
      throw internal_error("layer kind '" + std::string(kind) + "' has no parameter '" +
                           std::string(parameter) + "'");
    }
  }

  [[nodiscard]] std::int64_t of(const Problem& problem) const { return problem.sizes[index_]; }

 private:
  std::size_t index_ = 0;
};

}  // namespace layersim
