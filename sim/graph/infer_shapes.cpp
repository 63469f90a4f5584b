#include "sim/graph/infer_shapes.h"

#include <unordered_map>

#include "sim/core/error.h"
#include "sim/graph/batch_rescaler.h"
#include "sim/graph/control_flow.h"
#include "sim/graph/shape_rule.h"
#include "sim/graph/size_expression.h"

namespace layersim {
namespace {

// Where a pass stopped: the node and what it said.
struct Failure {
  std::size_t node = 0;
  Error error;
};

// One run of the shape rules over all nodes in order.
class ShapePass {
 public:
  ShapePass(Graph& graph, const ShapeBindings& bindings, Warnings& warnings, BatchRescaler* rescaler)
      : graph_(graph), warnings_(warnings), rescaler_(rescaler), control_(graph, bindings, warnings) {
    for (const auto& [symbol, size] : bindings.dims) symbols_.emplace(symbol, size);
    for (const ValueId id : graph.inputs) learn_symbols(graph.value(id));
    for (Value& value : graph.values) {
      if (value.origin != Origin::computed) continue;
      value.tensor.shape.reset();
      value.tensor.constant.reset();
      value.sequence.reset();
    }
  }

  // Nothing when all went well.
  std::optional<Failure> run() {
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      const Node& node = graph_.nodes[i];
      try {
        if (!control_.is_dead(node)) run_node(node);
      } catch (Error& error) {
        error.within(graph_.describe(node));
        if (error.kind() != ErrorKind::bad_input) throw;
        if (!control_.rule_out_branch(node, error.what())) return Failure{i, error};
      }
    }
    return std::nullopt;
  }

 private:
  void learn_symbols(const Value& value) {
    const auto& shape = value.tensor.shape;
    if (!value.declared || !shape || value.declared->size() != shape->size()) return;
    for (std::size_t axis = 0; axis < shape->size(); ++axis) {
      const std::string& symbol = (*value.declared)[axis].symbol;
      if (!symbol.empty() && (*shape)[axis] >= 0) symbols_.emplace(symbol, (*shape)[axis]);
    }
  }

  void run_node(const Node& node) {
    try {
      if (node.domain == kControlDomain) {
        control_.infer(node);
      } else if (const ShapeRule* rule = find_shape_rule(node.domain, node.op)) {
        apply(*rule, node);
      }
    } catch (const ShapeUnknown&) {
      // What the rule could not tell may be declared.
    }
    for (const ValueId id : node.outputs) {
      if (id == kNoValue) continue;
      if (graph_.value(id).declared) complete_from_declared(id, node);
      limit_memory(graph_.value(id));
    }
  }

  // Contents and sequences are kept for every value: a large network of long ones gives up the rest.
  void limit_memory(Value& value) {
    constexpr std::size_t kMaxKept = std::size_t{1} << 23;       // numbers of all contents
    constexpr std::size_t kMaxKeptSizes = std::size_t{1} << 22;  // elements of all sequences and their axes
    auto& constant = value.tensor.constant;
    if (constant != nullptr && constant.use_count() == 1) {
      kept_numbers_ += constant->ints.size() + constant->reals.size();
      if (kept_numbers_ > kMaxKept) constant.reset();
    }
    if (!value.sequence) return;
    for (const Tensor& element : *value.sequence)
      kept_sizes_ += 4 + (element.shape ? element.shape->size() : 0);
    if (kept_sizes_ > kMaxKeptSizes) value.sequence.reset();
  }

  // Hardly any rule can do without the shape of its first input. Not to ask is faster than to throw.
  bool has_first_shape(const Node& node) const {
    if (node.input(0) == kNoValue) return true;
    const Value& first = graph_.value(node.input(0));
    return first.tensor.shape || first.sequence || node.op == "Range" || node.op == "NonMaxSuppression" ||
           node.op == "OptionalHasElement" || node.op == "SequenceConstruct" || node.op == "SequenceLength";
  }

  void apply(const ShapeRule& rule, const Node& node) {
    if (!has_first_shape(node)) return;
    ShapeContext context(graph_, node, warnings_);
    if (rescaler_ == nullptr) return rule.infer(context);
    rescaler_->apply(rule, context);
  }

  std::optional<std::int64_t> size_of(const std::string& symbol) const {
    const auto bound = symbols_.find(symbol);
    if (bound != symbols_.end()) return bound->second;
    if (!is_size_expression(symbol)) return std::nullopt;
    return evaluate_size(symbol, [this](std::string_view name) -> std::optional<std::int64_t> {
      const auto part = symbols_.find(std::string(name));
      return part == symbols_.end() ? std::nullopt : std::optional(part->second);
    });
  }

  // value_info, where the rules leave a size open.
  void complete_from_declared(ValueId id, const Node& node) {
    Value& value = graph_.value(id);
    auto& shape = value.tensor.shape;
    if (shape && (is_known(*shape) || shape->size() != value.declared->size())) return;
    const bool is_fallback = !shape;
    if (is_fallback) shape.emplace(value.declared->size(), kUnknownDim);
    for (std::size_t axis = 0; axis < shape->size(); ++axis) {
      if ((*shape)[axis] >= 0) continue;
      const DeclaredDim& dim = (*value.declared)[axis];
      (*shape)[axis] = dim.size < 0 ? kUnknownDim : dim.size;
      if (dim.size < 0 && !dim.symbol.empty()) (*shape)[axis] = size_of(dim.symbol).value_or(kUnknownDim);
    }
    if (is_fallback && rescaler_ != nullptr) rescaler_->scale_declared(*shape, node, graph_, id);
    check_limits(*shape);
  }

  Graph& graph_;
  Warnings& warnings_;
  BatchRescaler* rescaler_;
  ControlFlow control_;
  std::unordered_map<std::string, std::int64_t> symbols_;
  std::size_t kept_numbers_ = 0;
  std::size_t kept_sizes_ = 0;
};

// Runs at the batch that the file was exported with, then at the one that is wanted, where numbers that the
// file computed from its own batch are rescaled. False: the file does not work at its own batch either, or
// cannot be rescaled.
bool run_rescaled(Graph& graph, const ShapeBindings& bindings, Warnings& warnings,
                  const BatchChange& change) {
  Warnings unused;
  set_batch(graph, change, change.in_file);
  const bool exported_works = !ShapePass(graph, bindings, unused, nullptr).run();
  std::vector<Tensor> exported;
  if (exported_works) {
    exported.reserve(graph.values.size());
    for (const Value& value : graph.values) exported.push_back(value.tensor);
  }
  set_batch(graph, change, change.wanted);
  if (!exported_works) return false;
  BatchRescaler rescaler(change, std::move(exported));
  Warnings found;
  if (ShapePass(graph, bindings, found, &rescaler).run() || !outputs_carry_batch(graph)) return false;
  for (const auto& text : found.all()) warnings.add(text);
  rescaler.report(warnings);
  return true;
}

}  // namespace

void infer_shapes(Graph& graph, const ShapeBindings& bindings, Warnings& warnings) {
  const std::optional<BatchChange> override_of_file = find_batch_override(graph);
  if (override_of_file && run_rescaled(graph, bindings, warnings, *override_of_file)) return;

  Warnings found;
  const auto failure = ShapePass(graph, bindings, found, nullptr).run();
  if (!failure && outputs_carry_batch(graph)) {
    for (const auto& text : found.all()) warnings.add(text);
    return;
  }
  // A number in the file may stand for the batch of its export although the file leaves the batch open.
  const Node* failed = failure ? &graph.nodes[failure->node] : nullptr;
  const auto change = override_of_file ? std::nullopt : guess_batch_change(graph, failed);
  if (change && run_rescaled(graph, bindings, warnings, *change)) return;
  if (failure) throw failure->error;
  static_cast<void>(ShapePass(graph, bindings, warnings, nullptr).run());
}

}  // namespace layersim
