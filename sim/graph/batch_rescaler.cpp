#include "sim/graph/batch_rescaler.h"

#include <algorithm>
#include <array>

#include "sim/core/checked.h"
#include "sim/core/error.h"

namespace layersim {
namespace {

// Another tensor in place of a value's own, for as long as this lives.
class TemporaryTensor {
 public:
  TemporaryTensor(Graph& graph, ValueId id, Tensor tensor)
      : graph_(graph), id_(id), original_(std::exchange(graph.value(id).tensor, std::move(tensor))) {}
  ~TemporaryTensor() { graph_.value(id_).tensor = std::move(original_); }
  TemporaryTensor(const TemporaryTensor&) = delete;
  TemporaryTensor& operator=(const TemporaryTensor&) = delete;

 private:
  Graph& graph_;
  ValueId id_;
  Tensor original_;
};

// Operators with an input that lists the sizes of the output axis by axis.
struct SizeList {
  std::string_view op;
  std::size_t input;
};
constexpr std::array kSizeLists{SizeList{"Expand", 1}, SizeList{"Resize", 3}, SizeList{"AffineGrid", 1},
                                SizeList{"MaxUnpool", 2}};

// Numbers that the file holds and that did not follow the batch: the same in both runs.
const std::vector<std::int64_t>* fixed_numbers(const Tensor& now, const Tensor& exported) {
  if (now.constant == nullptr || exported.constant == nullptr) return nullptr;
  return now.constant->ints == exported.constant->ints ? &now.constant->ints : nullptr;
}

}  // namespace

BatchRescaler::BatchRescaler(const BatchChange& change, std::vector<Tensor> exported)
    : change_(change), exported_(std::move(exported)), inner_(exported_.size(), 0) {}

std::optional<BatchRescaler::BatchPosition> BatchRescaler::position(const Graph& graph, ValueId id) const {
  if (id == kNoValue) return std::nullopt;
  const auto& now = graph.value(id).tensor.shape;
  const auto& before = exported(id).shape;
  if (!now || !before || now->size() != before->size() || *now == *before) return std::nullopt;
  if (!is_known(*now) || !is_known(*before)) return std::nullopt;
  std::optional<BatchPosition> found;
  for (std::size_t axis = 0; axis < now->size(); ++axis) {
    const std::int64_t size = (*before)[axis];
    if ((*now)[axis] == size) continue;
    const bool scales = size > 0 && size % change_.in_file == 0 && (*now)[axis] % change_.wanted == 0 &&
                        size / change_.in_file == (*now)[axis] / change_.wanted;
    if (found || !scales) return std::nullopt;
    const std::int64_t known_inner = inner_[static_cast<std::size_t>(id)];
    found = {axis, known_inner > 0 ? known_inner : size / change_.in_file};
  }
  return found;
}

void BatchRescaler::apply(const ShapeRule& rule, ShapeContext& context) {
  std::optional<Constant> numbers;
  if (rule.domain.empty() && rule.op == "Reshape") numbers = rescaled_target(context);
  std::size_t list_input = 1;
  for (const SizeList& list : kSizeLists) {
    if (!rule.domain.empty() || rule.op != list.op) continue;
    list_input = list.input;
    numbers = rescaled_size_list(context, list.input);
  }
  if (numbers) {
    note(context);
    const ValueId id = context.node().input(list_input);
    Tensor tensor = context.graph().value(id).tensor;
    tensor.constant = std::make_shared<const Constant>(std::move(*numbers));
    const TemporaryTensor replaced(context.graph(), id, std::move(tensor));
    rule.infer(context);
  } else {
    try {
      rule.infer(context);
    } catch (const Error&) {
      if (!apply_with_grown_inputs(rule, context)) throw;
    }
  }
  if (rule.domain.empty() && rule.op == "Slice") keep_whole_slice(context);
  track(context);
}

// In row-major order, the batch steps over `stride` elements. An axis of the target can carry it when that
// many elements lie within the axis. Several can when the exported batch was 1; then, from best to worst: an
// axis copied from the input (target 0) or left open (-1) of just the batch, an axis written as the batch,
// any open axis, an axis that the input does not have (heads split off a width), an axis before the last, the
// last.
std::optional<Constant> BatchRescaler::rescaled_target(const ShapeContext& context) {
  const Node& node = context.node();
  const auto where = position(context.graph(), node.input(0));
  if (!where || node.input(1) == kNoValue || node.output(0) == kNoValue) return std::nullopt;
  const auto* target = fixed_numbers(context.input(1), exported(node.input(1)));
  const auto& before = exported(node.output(0)).shape;
  if (target == nullptr || !before || !is_known(*before) || before->size() != target->size())
    return std::nullopt;
  const Shape& input = *exported(node.input(0)).shape;
  if (element_count(input) == 0 || element_count(*before) == 0) return std::nullopt;
  const std::int64_t batch = change_.in_file;
  const std::int64_t stride =
      checked_multiply(element_count(input, where->axis + 1, input.size()), where->inner);
  std::optional<std::size_t> best;
  int best_score = -1;
  std::int64_t best_inner = 1;
  for (std::size_t axis = 0; axis < before->size(); ++axis) {
    const std::int64_t below = element_count(*before, axis + 1, before->size());
    const std::int64_t size = (*before)[axis];
    const bool fits =
        stride % below == 0 && size % (stride / below) == 0 && size / (stride / below) % batch == 0;
    if (!fits) continue;
    const std::int64_t written = (*target)[axis];
    const bool is_last = axis + 1 == before->size();
    const bool is_new = std::find(input.begin(), input.end(), size) == input.end();
    const int score = written == 0                     ? 6
                      : written == -1 && size == batch ? 5
                      : written == batch               ? 4
                      : written == -1                  ? 3
                      : is_last                        ? 0
                      : is_new                         ? 2
                                                       : 1;
    if (score <= best_score) continue;
    best = axis;
    best_score = score;
    best_inner = stride / below;
  }
  if (!best) return std::nullopt;
  inner_[static_cast<std::size_t>(node.output(0))] = best_inner;
  if ((*target)[*best] <= 0) return std::nullopt;  // the rule finds it by itself
  Constant numbers{*target, {}};
  numbers.ints[*best] = checked_multiply((*before)[*best] / batch, change_.wanted);
  return numbers;
}

std::optional<Constant> BatchRescaler::rescaled_size_list(const ShapeContext& context,
                                                          std::size_t index) const {
  const Node& node = context.node();
  const auto where = position(context.graph(), node.input(0));
  if (!where || node.input(index) == kNoValue) return std::nullopt;
  const auto* sizes = fixed_numbers(context.input(index), exported(node.input(index)));
  const Shape& input = *exported(node.input(0)).shape;
  if (sizes == nullptr || sizes->size() < input.size()) return std::nullopt;
  const std::size_t axis = where->axis + sizes->size() - input.size();
  const bool broadcasts = node.op == "Expand" && (*sizes)[axis] == 1;
  if ((*sizes)[axis] != input[where->axis] || broadcasts) return std::nullopt;
  Constant numbers{*sizes, {}};
  numbers.ints[axis] = context.shape(0)[where->axis];
  return numbers;
}

// Tensors of the exported batch that meet others of the wanted one: class tokens, initial states, position
// ids.
bool BatchRescaler::apply_with_grown_inputs(const ShapeRule& rule, ShapeContext& context) {
  Graph& graph = context.graph();
  const Node& node = context.node();
  std::size_t rank = 0;
  std::optional<BatchPosition> carrier;
  for (std::size_t i = 0; i < node.inputs.size() && !carrier; ++i) {
    carrier = position(graph, node.input(i));
    if (carrier) rank = context.shape(i).size();
  }
  if (!carrier) return false;
  std::vector<std::unique_ptr<TemporaryTensor>> grown;
  for (const ValueId id : node.inputs) {
    if (id == kNoValue || position(graph, id)) continue;
    Tensor tensor = graph.value(id).tensor;
    if (!tensor.shape || tensor.shape->size() > rank) continue;
    const std::size_t missing = rank - tensor.shape->size();
    if (carrier->axis < missing || (*tensor.shape)[carrier->axis - missing] != change_.in_file) continue;
    (*tensor.shape)[carrier->axis - missing] = change_.wanted;
    tensor.constant = nullptr;
    grown.push_back(std::make_unique<TemporaryTensor>(graph, id, std::move(tensor)));
  }
  if (grown.empty()) return false;
  try {
    rule.infer(context);
  } catch (const Error&) {
    return false;
  }
  note(context);
  return true;
}

// A slice that took the whole batch at export takes the whole of the wanted one.
void BatchRescaler::keep_whole_slice(const ShapeContext& context) {
  const Node& node = context.node();
  const auto where = position(context.graph(), node.input(0));
  if (!where || node.output(0) == kNoValue) return;
  auto& shape = context.graph().value(node.output(0)).tensor.shape;
  const auto& before = exported(node.output(0)).shape;
  const std::int64_t whole = (*exported(node.input(0)).shape)[where->axis];
  if (!shape || !before || shape->size() <= where->axis || before->size() <= where->axis) return;
  if ((*before)[where->axis] != whole || (*shape)[where->axis] != whole) return;
  (*shape)[where->axis] = context.shape(0)[where->axis];
  note(context);
}

// An output whose batch axis has the size of an input's carries the batch as that one does.
void BatchRescaler::track(const ShapeContext& context) {
  const Node& node = context.node();
  for (const ValueId output : node.outputs) {
    const auto where = position(context.graph(), output);
    if (!where || inner_[static_cast<std::size_t>(output)] > 0) continue;
    const std::int64_t size = (*exported(output).shape)[where->axis];
    for (const ValueId input : node.inputs) {
      const auto source = position(context.graph(), input);
      if (!source || (*exported(input).shape)[source->axis] != size) continue;
      inner_[static_cast<std::size_t>(output)] = source->inner;
      break;
    }
  }
}

void BatchRescaler::scale_declared(Shape& shape, const Node& node, const Graph& graph, ValueId id) const {
  const auto& before = exported(id).shape;
  if (!before || *before != shape) return;
  for (const ValueId input : node.inputs) {
    const auto where = position(graph, input);
    if (!where || where->axis >= shape.size()) continue;
    const std::int64_t size = (*exported(input).shape)[where->axis];
    if (shape[where->axis] != size) continue;
    shape[where->axis] = (*graph.value(input).tensor.shape)[where->axis];
    return;
  }
}

void BatchRescaler::note(const ShapeContext& context) {
  if (count_++ == 0) first_ = context.graph().describe(context.node());
}

void BatchRescaler::report(Warnings& warnings) const {
  if (count_ == 0) return;
  warnings.add("the file has batch " + std::to_string(change_.in_file) + " written into " +
               std::to_string(count_) + (count_ == 1 ? " node (" : " nodes (first: ") + first_ +
               "); rescaled to batch " + std::to_string(change_.wanted));
}

}  // namespace layersim
