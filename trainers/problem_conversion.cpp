// Rows of the sampler (kind problems): the layer kind by name, and the parameters of that kind as columns.

#include <algorithm>
#include <string>

#include "sim/core/error.h"
#include "trainers/row_conversion.h"

namespace layersim {
namespace {

std::int64_t size_in(const RowReader& reader, std::size_t row, const Parameter& parameter) {
  if (parameter.draw == Draw::derived) return parameter.low;
  if (parameter.choices.empty()) {
    if (parameter.draw == Draw::fixed) return reader.count_or(parameter.name, row, parameter.low);
    return reader.count(parameter.name, row);
  }
  const std::string_view text = reader.text(parameter.name, row);
  const auto found = std::find(parameter.choices.begin(), parameter.choices.end(), text);
  if (found == parameter.choices.end()) {
    throw bad_input("column '" + std::string(parameter.name) + "': '" + std::string(text) +
                    "' is not one of its kind's choices");
  }
  return found - parameter.choices.begin();
}

}  // namespace

std::string convert_problem(const RowReader& reader, std::size_t row, Sample& sample) {
  const std::string_view name = reader.text("layer_kind", row);
  const LayerKind* kind = find_layer_kind(name);
  if (kind == nullptr) {
    throw bad_input("column 'layer_kind': there is no layer kind '" + std::string(name) + "'");
  }
  sample.problem = make_problem(*kind, DType::f32, {});
  for (std::size_t i = 0; i < kind->parameters.size(); ++i) {
    sample.problem.sizes[i] = size_in(reader, row, kind->parameters[i]);
  }
  return {};
}

}  // namespace layersim
