// Branches and loops of a TorchScript program.

#include <algorithm>
#include <limits>

#include "sim/core/error.h"
#include "sim/graph/shape_rule.h"
#include "sim/import/torchscript/converter.h"

namespace layersim {
namespace {

constexpr std::size_t kMaxGraphNodes = 1'000'000;

bool raises(const TorchBlock& block) {
  return std::any_of(block.nodes.begin(), block.nodes.end(),
                     [](const TorchNode& node) { return node.kind == "prim::RaiseException"; });
}

Attribute scope_attribute(int scope) { return {"scope", std::int64_t{scope}}; }

}  // namespace

void TorchConverter::run_if(const TorchNode& node) {
  const TorchValue condition = value(node.inputs.at(0));
  if (const auto known = known_int(*this, condition)) {
    const TorchBlock& block = node.blocks.at(*known != 0 ? 0 : 1);
    run_block(block);
    for (std::size_t i = 0; i < node.outputs.size(); ++i) value(node.outputs[i]) = value(block.outputs.at(i));
    return;
  }
  // A check of the inputs that raises an exception is taken to be met.
  for (const std::size_t index : {0U, 1U}) {
    if (!raises(node.blocks.at(index))) continue;
    const TorchBlock& other = node.blocks.at(1 - index);
    run_block(other);
    for (std::size_t i = 0; i < node.outputs.size(); ++i) value(node.outputs[i]) = value(other.outputs.at(i));
    return;
  }
  run_both(node, condition);
}

void TorchConverter::run_both(const TorchNode& node, const TorchValue& condition) {
  const ValueId decides = condition_value(condition);
  const int outer = scope_;
  int group = -1;
  std::vector<std::vector<TorchValue>> results;
  std::vector<bool> raised;
  for (const TorchBlock& block : node.blocks) {
    scope_ = open_scope(Scope::Kind::branch, node);
    if (group < 0) group = scope_;
    Scope& scope = graph_.scopes.back();
    scope.branch_group = group;
    scope.branch_index = static_cast<int>(results.size());
    const std::size_t nodes_before = graph_.nodes.size();
    std::vector<TorchValue> values;
    raised.push_back(false);
    try {
      run_block(block);
      for (const TorchValueId id : block.outputs) values.push_back(value(id));
    } catch (const TorchRaised&) {
      graph_.nodes.resize(nodes_before);
      raised.back() = true;
    }
    results.push_back(std::move(values));
    scope_ = outer;
  }
  current_ = &node;
  if (raised.at(0) && raised.at(1)) throw TorchRaised{"both branches of a condition raise exceptions"};
  if (raised[0] || raised[1]) {
    const std::size_t taken = raised[0] ? 1 : 0;
    graph_.scopes[static_cast<std::size_t>(group) + 1 - taken].dead = true;
    for (std::size_t i = 0; i < node.outputs.size(); ++i) value(node.outputs[i]) = results[taken].at(i);
    return;
  }
  std::vector<ValueId> then_side;
  std::vector<ValueId> else_side;
  std::vector<ValueId> joined;
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    value(node.outputs[i]) = join(results[0].at(i), results[1].at(i), then_side, else_side, joined);
  }
  std::vector<ValueId> inputs{decides};
  inputs.insert(inputs.end(), then_side.begin(), then_side.end());
  inputs.insert(inputs.end(), else_side.begin(), else_side.end());
  emit("IfJoin", std::move(inputs), {{"branch_group", std::int64_t{group}}},
       std::max<std::size_t>(1, joined.size()), kControlDomain);
  Node& node_added = graph_.nodes.back();
  // Control flow has no shape rule of its own: as long as both sides agree, the result is known already.
  for (std::size_t i = 0; i < joined.size(); ++i) {
    const Tensor& a = tensor(then_side[i]);
    const Tensor& b = tensor(else_side[i]);
    Tensor& result = graph_.value(joined[i]).tensor;
    result.dtype = a.dtype;
    if (a.shape && b.shape && *a.shape == *b.shape) result.shape = a.shape;
  }
  node_added.outputs = std::move(joined);
}

// What either side gives. Tensors and numbers meet in a new value of the graph; lists are joined item by
// item.
TorchValue TorchConverter::join(const TorchValue& a, const TorchValue& b, std::vector<ValueId>& then_side,
                                std::vector<ValueId>& else_side, std::vector<ValueId>& joined) {
  if (const auto* text = a.get<std::string>(); text != nullptr && b.get<std::string>() != nullptr) {
    return *text == *b.get<std::string>() ? a : TorchValue(TorchUnknown{"one of two texts"});
  }
  const auto known_a = known_real(*this, a);
  if (known_a && a.data.index() == b.data.index() && known_a == known_real(*this, b)) return a;
  if (a.is_none() && b.is_none()) return a;
  const TorchSequence* list_a = a.sequence();
  const TorchSequence* list_b = b.sequence();
  if (list_a != nullptr && list_b != nullptr && list_a->items.size() == list_b->items.size()) {
    std::vector<TorchValue> items;
    for (std::size_t i = 0; i < list_a->items.size(); ++i) {
      items.push_back(join(list_a->items[i], list_b->items[i], then_side, else_side, joined));
    }
    return make_sequence(list_a->kind, std::move(items));
  }
  const ValueId from_a = graph_value(a);
  const ValueId from_b = graph_value(b);
  if (from_a == kNoValue && from_b == kNoValue) return TorchValue(TorchUnknown{"the result of a condition"});
  if (from_a == kNoValue || from_b == kNoValue) return from_a == kNoValue ? b : a;  // an optional one
  then_side.push_back(from_a);
  else_side.push_back(from_b);
  joined.push_back(graph_.add_value({"joined", Origin::computed, {}, {}, {}}));
  if (a.is_tensor() || b.is_tensor()) return TorchValue(TorchTensorValue{joined.back()});
  return TorchValue(TorchNumber{joined.back()});
}

void TorchConverter::run_loop(const TorchNode& node) {
  const TorchBlock& body = node.blocks.at(0);
  const TorchValue trips = value(node.inputs.at(0));
  TorchValue condition = value(node.inputs.at(1));
  std::vector<TorchValue> carried;
  for (std::size_t i = 2; i < node.inputs.size(); ++i) carried.push_back(value(node.inputs[i]));
  const auto known_trips = known_int(*this, trips);
  std::int64_t done = 0;
  while (known_trips && known_int(*this, condition)) {
    if (done >= *known_trips || *known_int(*this, condition) == 0) {
      for (std::size_t i = 0; i < node.outputs.size(); ++i) value(node.outputs[i]) = carried.at(i);
      return;
    }
    value(body.inputs.at(0)) = TorchValue(done++);
    for (std::size_t i = 0; i < carried.size(); ++i) value(body.inputs.at(i + 1)) = carried[i];
    run_block(body);
    if (graph_.nodes.size() > kMaxGraphNodes || ++steps_ > 10 * kMaxGraphNodes) {
      throw bad_input("a loop at '" + node.path + "' makes more than " + std::to_string(kMaxGraphNodes) +
                      " nodes");
    }
    condition = value(body.outputs.at(0));
    for (std::size_t i = 0; i < carried.size(); ++i) carried[i] = value(body.outputs.at(i + 1));
  }
  run_open_loop(node, trips, condition, std::move(carried));
}

// The data decides how often: a loop of the graph, whose count the user may give by its name.
void TorchConverter::run_open_loop(const TorchNode& node, const TorchValue& trips,
                                   const TorchValue& condition, std::vector<TorchValue> carried) {
  const TorchBlock& body = node.blocks.at(0);
  const int outer = scope_;
  const auto known = known_int(*this, trips);
  const bool endless = known && *known == std::numeric_limits<std::int64_t>::max();
  current_ = &node;
  std::vector<ValueId> inputs{endless ? kNoValue : graph_value(trips), condition_value(condition)};
  std::vector<std::size_t> places;  // of the carried values that the graph carries
  for (std::size_t i = 0; i < carried.size(); ++i) {
    if (!carried[i].is_tensor() && carried[i].get<TorchNumber>() == nullptr) continue;
    places.push_back(i);
    inputs.push_back(graph_value(carried[i]));
  }
  const int scope = open_scope(Scope::Kind::loop, node);
  emit("LoopEnter", inputs, {scope_attribute(scope)}, places.size() + 2, kControlDomain);
  const std::vector<ValueId> entered = graph_.nodes.back().outputs;
  const auto carry = [&](std::size_t place, ValueId id) {
    return carried[place].is_tensor() ? TorchValue(TorchTensorValue{id}) : TorchValue(TorchNumber{id});
  };
  value(body.inputs.at(0)) = TorchValue(TorchNumber{entered[0]});
  graph_.value(entered[0]).tensor = {DType::i64, Shape{}, nullptr};
  for (std::size_t i = 0; i < carried.size(); ++i) value(body.inputs.at(i + 1)) = carried[i];
  for (std::size_t i = 0; i < places.size(); ++i) {
    // As on entry, as far as shapes go; whether they stay so is checked when the whole graph is inferred.
    Tensor& inside = graph_.value(entered[i + 2]).tensor;
    inside = tensor(inputs[i + 2]);
    inside.constant = nullptr;
    value(body.inputs.at(places[i] + 1)) = carry(places[i], entered[i + 2]);
  }
  scope_ = scope;
  run_block(body);
  current_ = &node;
  std::vector<ValueId> results{condition_value(value(body.outputs.at(0)))};
  for (const std::size_t place : places) {
    const ValueId result = graph_value(value(body.outputs.at(place + 1)));
    results.push_back(result == kNoValue ? inputs[2] : result);
  }
  scope_ = outer;
  emit("LoopExit", results, {scope_attribute(scope), {"carried", static_cast<std::int64_t>(places.size())}},
       std::max<std::size_t>(1, places.size()), kControlDomain);
  for (std::size_t i = 0; i < places.size(); ++i) {
    graph_.value(last_output(i)).tensor = tensor(results[i + 1]);
    carried[places[i]] = carry(places[i], last_output(i));
  }
  if (places.empty()) graph_.nodes.back().outputs.clear();
  for (std::size_t i = 0; i < node.outputs.size(); ++i) value(node.outputs[i]) = carried.at(i);
}

int TorchConverter::open_scope(Scope::Kind kind, const TorchNode& node) {
  Scope scope;
  scope.kind = kind;
  scope.parent = scope_;
  scope.name = (node.path.empty() ? "" : node.path + ".") + (kind == Scope::Kind::loop ? "loop" : "if");
  graph_.scopes.push_back(std::move(scope));
  return static_cast<int>(graph_.scopes.size()) - 1;
}

ValueId TorchConverter::graph_value(const TorchValue& value) {
  if (const auto* tensor_value = value.get<TorchTensorValue>()) return tensor_value->id;
  if (const auto* number = value.get<TorchNumber>()) return number->id;
  if (const auto* real = value.get<double>()) return real_scalar(*real, DType::f32);
  if (const auto integer = known_int(*this, value)) return int_scalar(*integer);
  return kNoValue;
}

// A condition that is no number of the graph (a text, say) is one of which nothing is known.
ValueId TorchConverter::condition_value(const TorchValue& value) {
  const ValueId id = graph_value(value);
  return id == kNoValue ? filler({}, DType::boolean) : id;
}

}  // namespace layersim
