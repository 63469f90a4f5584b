// GELU spelt out: 0.5 x (1 + erf(x / sqrt 2)), or 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x x x))).
// Exporters write one kernel so, and order the three factors in every way. With Pow in it (GPT-2 and its
// kin) the module itself is written in single operators, each of which runs: that one is left as it is.
// The search starts at Erf or Tanh: forward to the product with x and the factor, backward over arithmetic
// with stored numbers to x.

#include <algorithm>
#include <optional>

#include "layers/lowering.h"
#include "sim/decompose/passes.h"

namespace layersim {
namespace {

// More nodes than any spelling of the inner polynomial has.
constexpr std::size_t kMaxInnerNodes = 12;

class GeluPattern {
 public:
  GeluPattern(const Rewriter& rewriter, NodeIndex anchor) : rewriter_(rewriter), anchor_(anchor) {}

  [[nodiscard]] bool match() {
    return match_tail() && match_inner(rewriter_.node(anchor_).input(0)) && reaches_input_ && is_closed();
  }
  [[nodiscard]] ValueId input() const { return input_; }
  [[nodiscard]] NodeIndex last() const { return last_; }
  [[nodiscard]] const std::vector<NodeIndex>& nodes() const { return nodes_; }

 private:
  [[nodiscard]] ValueId out(NodeIndex index) const { return rewriter_.node(index).output(0); }
  [[nodiscard]] ValueId other(NodeIndex index, ValueId value) const {
    const Node& node = rewriter_.node(index);
    return node.input(0) == value ? node.input(1) : node.input(0);
  }
  [[nodiscard]] bool is_number(ValueId value) const {
    return rewriter_.is_stored(value) && rewriter_.elements(value) == 1;
  }
  void take(NodeIndex index) {
    if (std::find(nodes_.begin(), nodes_.end(), index) == nodes_.end()) nodes_.push_back(index);
  }

  // 1 + f, times x and 0.5 in any order.
  bool match_tail() {
    take(anchor_);
    const NodeIndex add = rewriter_.only_consumer(out(anchor_));
    if (!rewriter_.is_op(add, "Add") || !is_number(other(add, out(anchor_)))) return false;
    take(add);
    const NodeIndex first = rewriter_.only_consumer(out(add));
    if (!rewriter_.is_op(first, "Mul")) return false;
    take(first);
    last_ = first;
    const ValueId factor = other(first, out(add));
    if (is_number(factor)) return take_product_behind(false);
    // Either x / 2 stands before, or the half comes behind.
    const NodeIndex half = rewriter_.producer(factor);
    if ((rewriter_.is_op(half, "Mul") || rewriter_.is_op(half, "Div")) &&
        (is_number(rewriter_.node(half).input(0)) || is_number(rewriter_.node(half).input(1))) &&
        rewriter_.only_consumer(factor) == first) {
      input_ = is_number(rewriter_.node(half).input(0)) ? rewriter_.node(half).input(1)
                                                        : rewriter_.node(half).input(0);
      take(half);
      return true;
    }
    input_ = factor;
    return take_product_behind(true);
  }

  // The last factor: a number, or x.
  bool take_product_behind(bool number) {
    const NodeIndex next = rewriter_.only_consumer(out(last_));
    if (!rewriter_.is_op(next, "Mul") && !(number && rewriter_.is_op(next, "Div"))) return false;
    const ValueId factor = other(next, out(last_));
    if (is_number(factor) != number) return false;
    if (!number) input_ = factor;
    take(next);
    last_ = next;
    return true;
  }

  bool match_inner(ValueId value) {
    if (value == input_) {
      reaches_input_ = true;
      return true;
    }
    if (is_number(value)) return true;
    const NodeIndex index = rewriter_.producer(value);
    const bool arithmetic =
        rewriter_.is_op(index, "Mul") || rewriter_.is_op(index, "Add") || rewriter_.is_op(index, "Div");
    if (!arithmetic || nodes_.size() > kMaxInnerNodes) return false;
    take(index);
    const std::vector<ValueId> inputs = rewriter_.node(index).inputs;
    return std::all_of(inputs.begin(), inputs.end(), [&](ValueId input) { return match_inner(input); });
  }

  [[nodiscard]] bool is_closed() const {
    return std::all_of(nodes_.begin(), nodes_.end(), [&](NodeIndex index) {
      if (index == last_) return true;
      const auto readers = rewriter_.consumers(out(index));
      return !rewriter_.is_graph_output(out(index)) &&
             std::all_of(readers.begin(), readers.end(), [&](NodeIndex reader) {
               return std::find(nodes_.begin(), nodes_.end(), reader) != nodes_.end();
             });
    });
  }

  const Rewriter& rewriter_;
  NodeIndex anchor_;
  std::vector<NodeIndex> nodes_;
  NodeIndex last_ = kNoNode;
  ValueId input_ = kNoValue;
  bool reaches_input_ = false;
};

}  // namespace

void group_gelu(Rewriter& rewriter) {
  for (NodeIndex i = 0; i < rewriter.node_count(); ++i) {
    if (!rewriter.is_op(i, "Erf") && !rewriter.is_op(i, "Tanh")) continue;
    GeluPattern pattern(rewriter, i);
    if (!pattern.match()) continue;
    Node gelu = rewriter.node(pattern.last());
    gelu.op = "Gelu";
    gelu.domain = kFusedDomain;
    gelu.inputs = {pattern.input()};
    gelu.attributes.clear();
    for (const NodeIndex index : pattern.nodes()) {
      if (index != pattern.last()) rewriter.remove(index);
    }
    rewriter.replace(pattern.last(), std::move(gelu));
  }
}

}  // namespace layersim
