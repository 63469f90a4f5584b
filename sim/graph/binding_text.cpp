#include "sim/graph/binding_text.h"

#include <algorithm>
#include <utility>

#include "sim/core/error.h"
#include "sim/core/parse_number.h"

namespace layersim {
namespace {

// "NAME=VALUE", cut at the last '=': names may hold one.
std::pair<std::string, std::string> split_assignment(const std::string& option, const std::string& text) {
  const auto equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0)
    throw bad_use(option + " takes NAME=VALUE, not '" + text + "'");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

Shape parse_shape(const std::string& option, const std::string& text) {
  Shape shape;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('x', begin), text.size());
    shape.push_back(parse_count(option, text.substr(begin, end - begin), 1));
    begin = end + 1;
  }
  return shape;
}

}  // namespace

void bind_dim(ShapeBindings& bindings, const std::string& option, const std::string& text) {
  const auto [name, size] = split_assignment(option, text);
  const auto number = parse_count(option + ' ' + name, size, 1);
  if (!bindings.dims.emplace(name, number).second) throw bad_use(option + ' ' + name + " is given twice");
}

void bind_input(ShapeBindings& bindings, const std::string& option, const std::string& text) {
  const bool is_named = text.find('=') != std::string::npos;
  const auto [name, shape] = is_named ? split_assignment(option, text) : std::pair{std::string(), text};
  if (!bindings.inputs.emplace(name, parse_shape(option, shape)).second) {
    throw bad_use(option + ' ' + name + " is given twice");
  }
}

}  // namespace layersim
