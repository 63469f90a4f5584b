// Exports before opset 17 spell a layer normalization out in element-wise operators:
//
//   d = x - ReduceMean(x);  y = d / Sqrt(ReduceMean(d * d) + eps);  [y * scale [+ shift]]
//
// with the square written as Pow or Mul and the quotient as Div or as Mul with Reciprocal. A root-mean-square
// normalization has x itself in place of d. TensorFlow factors it differently:
//
//   f = Reciprocal(Sqrt(ReduceMean(d * d) + eps)) [* scale];  y = x * f + (shift - ReduceMean(x) * f)
//
// Casts may stand anywhere in between (mixed precision) and are looked through. The search starts at each
// Sqrt and gives up when a value inside the pattern is read from outside.

#include <algorithm>
#include <optional>

#include "layers/lowering.h"
#include "sim/decompose/passes.h"

namespace layersim {
namespace {

class LayerNormPattern {
 public:
  LayerNormPattern(const Rewriter& rewriter, NodeIndex sqrt) : rewriter_(rewriter), sqrt_(sqrt) {}

  [[nodiscard]] bool match() {
    if (!match_statistics() || !match_result()) return false;
    add_casts();
    return is_closed();
  }

  [[nodiscard]] const std::vector<NodeIndex>& nodes() const { return nodes_; }
  // The node that makes the result; all others run before it.
  [[nodiscard]] NodeIndex last() const { return nodes_.back(); }

  [[nodiscard]] Node replacement() const {
    Node node = rewriter_.node(last());
    node.op = "DecomposedLayerNormalization";
    node.domain = kFusedDomain;
    node.inputs = {input_};
    if (scale_ != kNoValue) node.inputs.push_back(scale_);
    if (shift_ != kNoValue) node.inputs.push_back(shift_);
    node.attributes = {{"axes", axes_}, {"root_mean_square", std::int64_t{centred_ == input_ ? 1 : 0}}};
    return node;
  }

 private:
  [[nodiscard]] bool contains(NodeIndex index) const {
    return std::find(nodes_.begin(), nodes_.end(), index) != nodes_.end();
  }
  void take(NodeIndex index) {
    std::erase(nodes_, index);
    nodes_.push_back(index);
  }
  [[nodiscard]] ValueId in(NodeIndex index, std::size_t position) const {
    return root(rewriter_.node(index).input(position));
  }
  [[nodiscard]] ValueId out(NodeIndex index) const { return rewriter_.node(index).output(0); }

  // The value before any casts, of which real networks have no more than two in a row.
  [[nodiscard]] ValueId root(ValueId value) const {
    constexpr int kMaxCasts = 8;
    for (int i = 0; i < kMaxCasts; ++i) {
      const NodeIndex cast = rewriter_.producer(value);
      if (!rewriter_.is_op(cast, "Cast")) break;
      value = rewriter_.node(cast).input(0);
    }
    return value;
  }
  // The only node that reads the value, looking through one cast.
  [[nodiscard]] NodeIndex reader(ValueId value) const {
    const NodeIndex index = rewriter_.only_consumer(value);
    return rewriter_.is_op(index, "Cast") ? rewriter_.only_consumer(out(index)) : index;
  }
  // The operand of a binary node that is not `value`.
  [[nodiscard]] ValueId other(NodeIndex index, ValueId value) const {
    return in(index, 0) == value ? in(index, 1) : in(index, 0);
  }
  [[nodiscard]] bool is_mean_of(NodeIndex index, ValueId value) const {
    return rewriter_.is_op(index, "ReduceMean") && in(index, 0) == value;
  }

  [[nodiscard]] std::vector<std::int64_t> reduced_axes(NodeIndex index) const {
    const Node& node = rewriter_.node(index);
    if (const auto axes = node.ints_attribute("axes")) return *axes;
    const ValueId axes = node.input(1);
    if (axes == kNoValue || rewriter_.graph().value(axes).tensor.constant == nullptr) return {};
    return rewriter_.graph().value(axes).tensor.constant->ints;
  }

  // d = x - mean(x)
  [[nodiscard]] bool is_difference(NodeIndex index) const {
    return rewriter_.is_op(index, "Sub") && is_mean_of(rewriter_.producer(in(index, 1)), in(index, 0));
  }
  void take_difference(NodeIndex index) {
    take(rewriter_.producer(in(index, 1)));
    take(index);
  }

  // Backward from Sqrt: add of epsilon, mean of the squares, square, difference.
  bool match_statistics() {
    const NodeIndex add = rewriter_.producer(in(sqrt_, 0));
    if (!rewriter_.is_op(add, "Add")) return false;
    const ValueId variance = rewriter_.is_stored(in(add, 0)) ? in(add, 1) : in(add, 0);
    const NodeIndex mean_of_squares = rewriter_.producer(variance);
    if (!rewriter_.is_op(mean_of_squares, "ReduceMean")) return false;
    axes_ = reduced_axes(mean_of_squares);
    const NodeIndex square = rewriter_.producer(in(mean_of_squares, 0));
    const bool pow = rewriter_.is_op(square, "Pow") && rewriter_.stored_number(in(square, 1)) == 2.0;
    const bool product = rewriter_.is_op(square, "Mul") && in(square, 0) == in(square, 1);
    if (axes_.empty() || (!pow && !product)) return false;
    centred_ = input_ = in(square, 0);
    const NodeIndex difference = rewriter_.producer(centred_);
    if (is_difference(difference)) {
      mean_ = in(difference, 1);
      input_ = in(difference, 0);
      take_difference(difference);
    }
    for (const NodeIndex index : {square, mean_of_squares, add, sqrt_}) take(index);
    return true;
  }

  // Forward from Sqrt to the normalized value.
  bool match_result() {
    NodeIndex next = reader(out(sqrt_));
    const bool reciprocal = rewriter_.is_op(next, "Reciprocal") ||
                            (rewriter_.is_op(next, "Div") && rewriter_.stored_number(in(next, 0)) == 1.0);
    ValueId divisor = out(sqrt_);
    if (reciprocal) {
      take(next);
      divisor = out(next);
      if (match_factored(divisor)) return true;
      next = reader(divisor);
    }
    if (!rewriter_.is_op(next, reciprocal ? "Mul" : "Div")) return false;
    const ValueId dividend = other(next, divisor);
    if (dividend != centred_) {
      // PyTorch of old computes the difference twice.
      const NodeIndex again = rewriter_.producer(dividend);
      if (!is_difference(again) || in(again, 0) != input_) return false;
      take_difference(again);
    }
    take(next);
    take_affine();
    return true;
  }

  void take_affine() {
    NodeIndex next = reader(out(last()));
    if (!rewriter_.is_op(next, "Mul") || !is_vector(other(next, out(last())))) return;
    scale_ = other(next, out(last()));
    take(next);
    next = rewriter_.only_consumer(out(last()));
    if (!rewriter_.is_op(next, "Add") || !is_vector(other(next, out(last())))) return;
    shift_ = other(next, out(last()));
    take(next);
  }

  // f = factor [* scale]; y = x * f + (shift - mean * f)
  bool match_factored(ValueId factor) {
    std::vector<NodeIndex> taken;
    ValueId scale = kNoValue;
    if (const NodeIndex next = rewriter_.only_consumer(factor);
        rewriter_.is_op(next, "Mul") && is_vector(other(next, factor))) {
      scale = other(next, factor);
      taken.push_back(next);
      factor = out(next);
    }
    NodeIndex scaled = kNoNode;
    NodeIndex offset = kNoNode;
    for (const NodeIndex index : rewriter_.consumers(factor)) {
      if (!rewriter_.is_op(index, "Mul")) return false;
      (other(index, factor) == input_ ? scaled : offset) = index;
    }
    if (scaled == kNoNode || offset == kNoNode || other(offset, factor) != mean_) return false;
    const NodeIndex shifted = rewriter_.only_consumer(out(offset));
    if (!rewriter_.is_op(shifted, "Sub") || in(shifted, 1) != out(offset) || !is_vector(in(shifted, 0)))
      return false;
    const NodeIndex sum = rewriter_.only_consumer(out(shifted));
    if (!rewriter_.is_op(sum, "Add") || other(sum, out(shifted)) != out(scaled)) return false;
    scale_ = scale;
    shift_ = in(shifted, 0);
    taken.insert(taken.end(), {scaled, offset, shifted, sum});
    for (const NodeIndex index : taken) take(index);
    return true;
  }

  // Stored, with one number for each normalized element.
  [[nodiscard]] bool is_vector(ValueId value) const {
    if (input_ == kNoValue || !rewriter_.is_stored(value)) return false;
    const auto& shape = rewriter_.graph().value(input_).tensor.shape;
    if (!shape || !is_known(*shape)) return false;
    const auto rank = static_cast<std::int64_t>(shape->size());
    Shape normalized;
    for (const std::int64_t axis : axes_) {
      const std::int64_t from_front = axis < 0 ? axis + rank : axis;
      if (from_front < 0 || from_front >= rank) return false;
      normalized.push_back((*shape)[static_cast<std::size_t>(from_front)]);
    }
    return rewriter_.elements(value) == element_count(normalized) && rewriter_.elements(value) > 1;
  }

  // Casts that serve the pattern alone.
  void add_casts() {
    const std::vector<NodeIndex> core = nodes_;
    for (const NodeIndex index : core) {
      for (const ValueId input : rewriter_.node(index).inputs) {
        const NodeIndex cast = rewriter_.producer(input);
        if (!rewriter_.is_op(cast, "Cast") || contains(cast)) continue;
        const auto readers = rewriter_.consumers(input);
        const bool inside = std::all_of(readers.begin(), readers.end(), [&](NodeIndex reader) {
          return std::find(core.begin(), core.end(), reader) != core.end();
        });
        if (inside && !rewriter_.is_graph_output(input)) nodes_.insert(nodes_.begin(), cast);
      }
    }
  }

  // No value but the result is read from outside.
  [[nodiscard]] bool is_closed() const {
    return std::all_of(nodes_.begin(), nodes_.end() - 1, [&](NodeIndex index) {
      const auto readers = rewriter_.consumers(out(index));
      return !rewriter_.is_graph_output(out(index)) &&
             std::all_of(readers.begin(), readers.end(), [&](NodeIndex reader) { return contains(reader); });
    });
  }

  const Rewriter& rewriter_;
  NodeIndex sqrt_;
  std::vector<NodeIndex> nodes_;  // the last one makes the result
  std::vector<std::int64_t> axes_;
  ValueId input_ = kNoValue;
  ValueId mean_ = kNoValue;
  ValueId centred_ = kNoValue;  // what is squared; the input itself: root mean square
  ValueId scale_ = kNoValue;
  ValueId shift_ = kNoValue;
};

}  // namespace

void group_layer_norm(Rewriter& rewriter) {
  for (NodeIndex i = 0; i < rewriter.node_count(); ++i) {
    if (!rewriter.is_op(i, "Sqrt")) continue;
    LayerNormPattern pattern(rewriter, i);
    if (!pattern.match()) continue;
    Node replacement = pattern.replacement();
    for (const NodeIndex index : pattern.nodes()) {
      if (index != pattern.last()) rewriter.remove(index);
    }
    rewriter.replace(pattern.last(), std::move(replacement));
  }
}

}  // namespace layersim
