#include "sim/graph/shape_rule.h"

#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "layers/layer_kind.h"
#include "sim/core/error.h"

namespace layersim {

#define LAYERSIM_ENTRY(family) std::span<const ShapeRule> family##_rules();
#include "shape_rules.inc"
#undef LAYERSIM_ENTRY

namespace {

struct OperatorName {
  std::string_view domain;
  std::string_view op;
  bool operator==(const OperatorName&) const = default;
};

struct OperatorNameHash {
  std::size_t operator()(const OperatorName& name) const {
    return std::hash<std::string_view>()(name.op) * 31 + std::hash<std::string_view>()(name.domain);
  }
};

using RuleTable = std::unordered_map<OperatorName, const ShapeRule*, OperatorNameHash>;

std::vector<ShapeRule> rules_of_layer_kinds() {
  std::vector<ShapeRule> rules;
  for (const LayerKind* kind : layer_kinds()) {
    for (const OperatorRule& rule : kind->operators) {
      if (rule.infer != nullptr) rules.push_back({rule.op, rule.infer, rule.domain});
    }
  }
  return rules;
}

RuleTable make_rule_table() {
  RuleTable table;
  const auto add = [&table](std::span<const ShapeRule> rules) {
    for (const ShapeRule& rule : rules) {
      if (table.emplace(OperatorName{rule.domain, rule.op}, &rule).second) continue;
      throw internal_error("two shape rules for the operator " + std::string(rule.op));
    }
  };
#define LAYERSIM_ENTRY(family) add(family##_rules());
#include "shape_rules.inc"
#undef LAYERSIM_ENTRY
  // Rules of layer kinds stand in the kinds' own files.
  static const std::vector<ShapeRule> kKindRules = rules_of_layer_kinds();
  add(kKindRules);
  return table;
}

}  // namespace

const ShapeRule* find_shape_rule(std::string_view domain, std::string_view op) {
  static const RuleTable kTable = make_rule_table();
  const auto found = kTable.find({domain, op});
  return found == kTable.end() ? nullptr : found->second;
}

std::size_t normalize_axis(std::int64_t axis, std::size_t rank) {
  const auto signed_rank = static_cast<std::int64_t>(rank);
  if (axis < -signed_rank || axis >= signed_rank) {
    throw bad_input("axis " + std::to_string(axis) + " does not exist in a tensor of rank " +
                    std::to_string(rank));
  }
  return static_cast<std::size_t>(axis < 0 ? axis + signed_rank : axis);
}

void same_as_first_input(ShapeContext& context) {
  const Tensor& input = context.input(0);
  context.set_output(0, input.dtype, context.shape(0), input.constant);
}

}  // namespace layersim
