#pragma once

#include <string>
#include <string_view>

namespace layersim::tests {

// The model with a few of its fields changed at random; empty when the bytes are no model.
[[nodiscard]] std::string mutate_model(std::string_view bytes, unsigned seed);

}  // namespace layersim::tests
