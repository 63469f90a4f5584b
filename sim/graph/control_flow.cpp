#include "sim/graph/control_flow.h"

#include <algorithm>
#include <limits>

#include "sim/core/checked.h"

namespace layersim {
namespace {

// More iterations than this are an exporter's way to say "while".
constexpr std::int64_t kEndless = std::numeric_limits<std::int32_t>::max();
// Sequences longer than this are not followed.
constexpr std::size_t kMaxSequence = static_cast<std::size_t>(kMaxConstantElements);

std::int64_t marker_attribute(const Node& node, std::string_view name) {
  const auto value = node.int_attribute(name);
  if (!value) throw bad_input("attribute '" + std::string(name) + "' is missing");
  return *value;
}

std::size_t marker_count(const Node& node, std::string_view name, std::size_t limit) {
  const std::int64_t value = marker_attribute(node, name);
  if (value < 0 || static_cast<std::uint64_t>(value) > limit) {
    throw bad_input("attribute '" + std::string(name) + "' does not fit the inputs");
  }
  return static_cast<std::size_t>(value);
}

double known_elements(const Shape& shape) {
  double count = 1;
  for (const std::int64_t size : shape) count *= static_cast<double>(std::max<std::int64_t>(size, 1));
  return count;
}

}  // namespace

ControlFlow::ControlFlow(Graph& graph, const ShapeBindings& bindings, Warnings& warnings)
    : graph_(graph), bindings_(bindings), warnings_(warnings) {
  for (Scope& scope : graph.scopes) {
    scope.dead = false;
    scope.trip_count.reset();
    if (scope.kind != Scope::Kind::branch) continue;
    branches_[scope.branch_group].scopes[scope.branch_index == 0 ? 0 : 1] = &scope;
  }
  for (const Node& node : graph.nodes) {
    if (node.domain != kControlDomain) continue;
    if (node.op == "IfJoin") {
      branches_[marker_attribute(node, "branch_group")].condition = node.input(0);
    } else if (node.op == "LoopEnter" || node.op == "ScanEnter") {
      enters_.emplace(marker_attribute(node, "scope"), &node);
    }
  }
}

bool ControlFlow::is_dead(const Node& node) {
  for (int index = node.scope; index > 0; index = graph_.scopes[static_cast<std::size_t>(index)].parent) {
    Scope& scope = graph_.scopes.at(static_cast<std::size_t>(index));
    scope.dead = scope.dead || selects_other(scope);
    if (scope.dead) return true;
  }
  return false;
}

bool ControlFlow::selects_other(const Scope& branch) const {
  if (branch.kind != Scope::Kind::branch) return false;
  const std::optional<bool> condition = truth(branches_.at(branch.branch_group).condition);
  return condition && *condition != (branch.branch_index == 0);
}

bool ControlFlow::is_other_dead(const Scope& branch) const {
  const Scope* other = branches_.at(branch.branch_group).scopes[branch.branch_index == 0 ? 1 : 0];
  return other == nullptr || other->dead;
}

bool ControlFlow::rule_out_branch(const Node& node, const char* reason) {
  for (int index = node.scope; index > 0; index = graph_.scopes[static_cast<std::size_t>(index)].parent) {
    Scope& scope = graph_.scopes.at(static_cast<std::size_t>(index));
    if (scope.kind != Scope::Kind::branch || is_other_dead(scope)) continue;
    if (truth(branches_.at(scope.branch_group).condition)) continue;
    scope.dead = true;
    warnings_.add("If '" + scope.name + "': the " + (scope.branch_index == 0 ? "then" : "else") +
                  " branch cannot run and is left out (" + reason + ")");
    return true;
  }
  return false;
}

void ControlFlow::infer(const Node& node) {
  if (node.op == "IfJoin") return join_branches(node);
  if (node.op == "LoopEnter") return enter_loop(node);
  if (node.op == "LoopExit") return exit_loop(node);
  if (node.op == "ScanEnter") return enter_scan(node);
  if (node.op == "ScanExit") return exit_scan(node);
  throw bad_input("unknown control flow");
}

const Tensor& ControlFlow::tensor(ValueId id) const { return graph_.value(id).tensor; }

void ControlFlow::set(ValueId id, Tensor tensor) {
  if (id == kNoValue) return;
  if (tensor.shape) check_limits(*tensor.shape);
  graph_.value(id).tensor = std::move(tensor);
}

void ControlFlow::copy_value(ValueId from, ValueId to, bool with_contents) {
  if (from == kNoValue || to == kNoValue) return;
  Tensor copy = tensor(from);
  if (!with_contents) copy.constant = nullptr;
  set(to, std::move(copy));
  graph_.value(to).sequence = graph_.value(from).sequence;
}

Scope& ControlFlow::scope_of(const Node& node) {
  const std::int64_t index = marker_attribute(node, "scope");
  if (index < 0 || static_cast<std::uint64_t>(index) >= graph_.scopes.size()) {
    throw bad_input("attribute 'scope' names no scope");
  }
  return graph_.scopes[static_cast<std::size_t>(index)];
}

std::optional<std::int64_t> ControlFlow::number(ValueId id) const {
  if (id == kNoValue) return std::nullopt;
  const Tensor& known = tensor(id);
  if (known.constant == nullptr || known.constant->ints.size() != 1) return std::nullopt;
  const std::int64_t value = known.constant->ints.front();
  return value == kUnknownInt ? std::nullopt : std::optional(value);
}

std::optional<bool> ControlFlow::truth(ValueId id) const {
  const auto value = number(id);
  return value ? std::optional(*value != 0) : std::nullopt;
}

void ControlFlow::join_branches(const Node& node) {
  const std::size_t count = node.outputs.size();
  if (node.inputs.size() != 1 + 2 * count) throw bad_input("the branches do not give the outputs of the If");
  const Branches& branches = branches_.at(marker_attribute(node, "branch_group"));
  std::array<bool, 2> dead{};
  for (const std::size_t branch : {0, 1}) {
    Scope* scope = branches.scopes[branch];
    if (scope == nullptr) continue;
    scope->dead = scope->dead || selects_other(*scope);  // a branch without nodes is first seen here
    dead[branch] = scope->dead;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const ValueId then_value = node.input(1 + i);
    const ValueId else_value = node.input(1 + count + i);
    if (dead[0] || dead[1]) {
      copy_value(dead[0] ? else_value : then_value, node.output(i), true);
    } else {
      merge(then_value, else_value, node.output(i), node);
    }
  }
}

// Both branches may run: what follows is computed for the larger of their results.
void ControlFlow::merge(ValueId then_value, ValueId else_value, ValueId output, const Node& node) {
  if (then_value == kNoValue || else_value == kNoValue || output == kNoValue) return;
  const auto& then_shape = tensor(then_value).shape;
  const auto& else_shape = tensor(else_value).shape;
  if (!then_shape || !else_shape) return copy_value(then_shape ? then_value : else_value, output, false);
  const bool same = *then_shape == *else_shape;
  const bool take_else = !same && known_elements(*else_shape) > known_elements(*then_shape);
  copy_value(take_else ? else_value : then_value, output, false);
  if (same) return;
  warnings_.add("If '" + node.name + "' gives " + to_string(*then_shape) + " or " + to_string(*else_shape) +
                ", which its input decides: the larger is used");
}

void ControlFlow::enter_loop(const Node& node) {
  set(node.output(0), {DType::i64, Shape{}, nullptr});
  // The body runs only while its condition is true.
  static const auto kTrue = std::make_shared<const Constant>(Constant{{1}, {}});
  set(node.output(1), {DType::boolean, Shape{}, kTrue});
  for (std::size_t i = 2; i < node.outputs.size(); ++i) copy_value(node.input(i), node.output(i), false);
}

std::optional<std::int64_t> ControlFlow::count_trips(const Node& enter, const Node& exit,
                                                     const Scope& scope) {
  if (const auto bound = bindings_.dims.find(scope.name); bound != bindings_.dims.end()) return bound->second;
  const ValueId initial = enter.input(1);
  if (initial != kNoValue && truth(initial) == false) return 0;
  std::optional<std::int64_t> limit = number(enter.input(0));
  if (limit) limit = std::max<std::int64_t>(*limit, 0);
  const std::optional<bool> goes_on = truth(exit.input(0));
  if (goes_on == false) return limit ? std::min<std::int64_t>(*limit, 1) : 1;
  const bool is_bounded = limit && *limit < kEndless;
  if (is_bounded && goes_on == true) return limit;
  const std::string way = ": give it by --dim " + scope.name + "=TRIPS";
  if (is_bounded) {
    warnings_.add("Loop '" + scope.name + "' may end before its " + std::to_string(*limit) +
                  " iterations; all are counted" + way);
    return limit;
  }
  warnings_.add("Loop '" + scope.name + "': the number of iterations is not known, one is counted" + way);
  return std::nullopt;
}

void ControlFlow::exit_loop(const Node& node) {
  Scope& scope = scope_of(node);
  const auto found = enters_.find(marker_attribute(node, "scope"));
  if (found == enters_.end()) throw bad_input("the loop has no beginning");
  const Node& enter = *found->second;
  const std::size_t carried = marker_count(node, "carried", node.outputs.size());
  scope.trip_count = count_trips(enter, node, scope);
  for (std::size_t i = 0; i < carried; ++i)
    carry(enter.input(2 + i), node.input(1 + i), node.output(i), scope);
  for (std::size_t i = carried; i < node.outputs.size(); ++i) {
    stack(node.input(1 + i), node.output(i), scope.trip_count, 0);
  }
}

// The final value of one that is carried from `before` the first iteration to `after` it, and so on. What
// grows by the same amount each time is carried on to the end.
void ControlFlow::carry(ValueId before, ValueId after, ValueId output, const Scope& scope) {
  if (before == kNoValue || after == kNoValue || output == kNoValue) return;
  if (scope.trip_count == 0) return copy_value(before, output, true);
  copy_value(after, output, scope.trip_count == 1);
  const auto& first_sequence = graph_.value(before).sequence;
  const auto& second_sequence = graph_.value(after).sequence;
  if (first_sequence && second_sequence && second_sequence->size() > first_sequence->size()) {
    const std::size_t growth = second_sequence->size() - first_sequence->size();
    const auto trips = static_cast<std::size_t>(std::max<std::int64_t>(scope.trip_count.value_or(1), 1));
    if (!scope.trip_count || trips > kMaxSequence / growth) {
      graph_.value(output).sequence.reset();
      return;
    }
    const Tensor element = second_sequence->back();
    graph_.value(output).sequence->resize(first_sequence->size() + growth * trips, element);
    return;
  }
  const auto& first = tensor(before).shape;
  const auto& second = tensor(after).shape;
  if (!first || !second || *first == *second) return;
  warnings_.add("Loop '" + scope.name + "' changes a carried shape from " + to_string(*first) + " to " +
                to_string(*second) + ": layers inside are counted with the sizes of the first iteration");
  if (first->size() != second->size()) return;
  Tensor last = tensor(output);
  for (std::size_t axis = 0; axis < first->size(); ++axis) {
    const std::int64_t begin = (*first)[axis];
    if (begin == (*second)[axis]) continue;
    std::int64_t& size = (*last.shape)[axis];
    const bool known = begin >= 0 && size >= 0 && scope.trip_count;
    size = known ? checked_add(begin, checked_multiply(size - begin, *scope.trip_count)) : kUnknownDim;
    if (size < 0) size = kUnknownDim;
  }
  set(output, std::move(last));
}

void ControlFlow::stack(ValueId element, ValueId output, std::optional<std::int64_t> count,
                        std::int64_t axis) {
  if (element == kNoValue || output == kNoValue || !tensor(element).shape) return;
  Tensor stacked{tensor(element).dtype, tensor(element).shape, nullptr};
  const auto rank = static_cast<std::int64_t>(stacked.shape->size()) + 1;
  if (axis < -rank || axis >= rank)
    throw bad_input("axis " + std::to_string(axis) + " of a scan does not exist");
  stacked.shape->insert(stacked.shape->begin() + (axis < 0 ? axis + rank : axis),
                        count.value_or(kUnknownDim));
  set(output, std::move(stacked));
}

void ControlFlow::enter_scan(const Node& node) {
  Scope& scope = scope_of(node);
  const std::size_t states = marker_count(node, "states", node.inputs.size());
  const auto axes = node.ints_attribute("axes").value_or(std::vector<std::int64_t>{});
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    copy_value(node.input(i), node.output(i), false);
    if (i < states || node.input(i) == kNoValue) continue;
    if (!tensor(node.input(i)).shape) continue;
    Tensor slice{tensor(node.input(i)).dtype, tensor(node.input(i)).shape, nullptr};
    const auto rank = static_cast<std::int64_t>(slice.shape->size());
    const std::int64_t axis = i - states < axes.size() ? axes[i - states] : 0;
    if (axis < -rank || axis >= rank)
      throw bad_input("axis " + std::to_string(axis) + " of a scan does not exist");
    const auto position = slice.shape->begin() + (axis < 0 ? axis + rank : axis);
    const std::int64_t length = *position;
    slice.shape->erase(position);
    set(node.output(i), std::move(slice));
    if (length < 0) continue;
    if (scope.trip_count && *scope.trip_count != length) {
      throw bad_input("the sequences of a scan have lengths " + std::to_string(*scope.trip_count) + " and " +
                      std::to_string(length));
    }
    scope.trip_count = length;
  }
  if (const auto bound = bindings_.dims.find(scope.name); bound != bindings_.dims.end())
    scope.trip_count = bound->second;
  if (!scope.trip_count) {
    warnings_.add("Scan '" + scope.name +
                  "': the number of iterations is not known, one is counted: give it by --dim " + scope.name +
                  "=TRIPS");
  }
}

void ControlFlow::exit_scan(const Node& node) {
  const Scope& scope = scope_of(node);
  const std::size_t states = marker_count(node, "states", node.outputs.size());
  const auto axes = node.ints_attribute("axes").value_or(std::vector<std::int64_t>{});
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    if (i < states) {
      copy_value(node.input(i), node.output(i), false);
    } else {
      stack(node.input(i), node.output(i), scope.trip_count, i - states < axes.size() ? axes[i - states] : 0);
    }
  }
}

}  // namespace layersim
