#include "layers/layer_kind.h"

#include <unordered_map>

#include "layers/kinds.h"
#include "sim/core/error.h"

namespace layersim {

namespace {

struct CoveredOperator {
  const LayerKind* kind;
  const OperatorRule* rule;
};
// By operator name; few operators stand in more than one domain.
using OperatorTable = std::unordered_map<std::string_view, std::vector<CoveredOperator>>;

OperatorTable build_operator_table() {
  OperatorTable table;
  for (const LayerKind* kind : layer_kinds()) {
    for (const OperatorRule& rule : kind->operators) table[rule.op].push_back({kind, &rule});
  }
  return table;
}

const CoveredOperator* find_covered(std::string_view domain, std::string_view op) {
  static const OperatorTable kTable = build_operator_table();
  const auto found = kTable.find(op);
  if (found == kTable.end()) return nullptr;
  for (const CoveredOperator& covered : found->second) {
    if (covered.rule->domain == domain) return &covered;
  }
  return nullptr;
}

}  // namespace

std::int64_t Problem::size(std::string_view parameter) const {
  for (std::size_t i = 0; i < kind->parameters.size(); ++i) {
    if (kind->parameters[i].name == parameter) return sizes.at(i);
  }
  throw internal_error("layer kind " + std::string(kind->name) + " has no parameter " +
                       std::string(parameter));
}

Problem make_problem(const LayerKind& kind, DType dtype, std::initializer_list<NamedSize> sizes) {
  Problem problem;
  problem.kind = &kind;
  problem.dtype = dtype;
  problem.weight_dtype = dtype;
  const std::vector<Parameter>& parameters = kind.parameters;
  problem.sizes.reserve(parameters.size());
  for (const Parameter& parameter : parameters) problem.sizes.push_back(parameter.low);
  std::size_t cursor = 0;
  for (const NamedSize& named : sizes) {
    std::size_t tried = 0;
    while (tried < parameters.size() && parameters[cursor % parameters.size()].name != named.parameter) {
      ++cursor;
      ++tried;
    }
    if (tried == parameters.size()) {
      throw internal_error("layer kind " + std::string(kind.name) + " has no parameter " +
                           std::string(named.parameter));
    }
    problem.sizes[cursor % parameters.size()] = named.size;
  }
  return problem;
}

std::span<const LayerKind* const> layer_kinds() {
#define LAYERSIM_ENTRY(kind) &kind##_kind(),
  static const std::vector<const LayerKind*> kKinds{
#include "layer_kinds.inc"
  };
#undef LAYERSIM_ENTRY
  return kKinds;
}

const LayerKind* find_layer_kind(std::string_view name) {
  for (const LayerKind* kind : layer_kinds()) {
    if (kind->name == name) return kind;
  }
  return nullptr;
}

const OperatorRule* find_operator(std::string_view domain, std::string_view op) {
  const CoveredOperator* covered = find_covered(domain, op);
  return covered == nullptr ? nullptr : covered->rule;
}

const LayerKind* find_operator_kind(std::string_view domain, std::string_view op) {
  const CoveredOperator* covered = find_covered(domain, op);
  return covered == nullptr ? nullptr : covered->kind;
}

}  // namespace layersim
