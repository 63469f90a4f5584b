#pragma once
// Networks written in the text form, taken apart.

#include <catch2/catch.hpp>
#include <string>
#include <string_view>

#include "sim/core/error.h"
#include "sim/decompose/decompose.h"
#include "sim/graph/graph_text.h"

namespace layersim::tests {

inline Network take_apart(std::string_view text, const DecomposeOptions& options = {}) {
  return decompose(parse_graph_text(text), options);
}

// The layer of a network that has one.
inline Layer only_layer(std::string_view text) {
  Network network = take_apart(text);
  REQUIRE(network.layers.size() == 1);
  return network.layers.front();
}

// "conv dense:relu activation": kinds in order, each with its activation; "?" for an operator without a
// model.
inline std::string kinds(const Network& network) {
  std::string text;
  for (const Layer& layer : network.layers) {
    if (!text.empty()) text += ' ';
    text += layer.problem.kind == nullptr ? "?" : std::string(layer.problem.kind->name);
    if (layer.problem.activation != Activation::none)
      text += ":" + std::string(name(layer.problem.activation));
  }
  return text;
}

inline std::string error_of(std::string_view text) {
  try {
    (void)take_apart(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace layersim::tests
