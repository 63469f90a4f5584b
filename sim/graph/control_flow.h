#pragma once
// Shapes across the marker nodes of control flow (see graph.h): what a loop body sees of its carried values,
// how often it runs, and what comes out; which branch of an If can run, and what both agree on.

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include "sim/graph/graph.h"
#include "sim/graph/infer_shapes.h"

namespace layersim {

// For one pass over the nodes in order. Sets Scope::trip_count and Scope::dead.
class ControlFlow {
 public:
  ControlFlow(Graph& graph, const ShapeBindings& bindings, Warnings& warnings);

  // The node stands in a branch that is known not to run.
  [[nodiscard]] bool is_dead(const Node& node);
  // Gives the outputs of a marker node their shapes. Throws ShapeUnknown and bad_input like a shape rule.
  void infer(const Node& node);
  // A node contradicts itself: when it stands in a branch whose condition is not known, and the other branch
  // can run, this one is taken to be the one that never does. False: there is no such branch.
  [[nodiscard]] bool rule_out_branch(const Node& node, const char* reason);

 private:
  const Tensor& tensor(ValueId id) const;
  void set(ValueId id, Tensor tensor);
  void copy_value(ValueId from, ValueId to, bool with_contents);
  Scope& scope_of(const Node& node);
  [[nodiscard]] std::optional<bool> truth(ValueId id) const;
  [[nodiscard]] std::optional<std::int64_t> number(ValueId id) const;
  [[nodiscard]] bool selects_other(const Scope& branch) const;
  [[nodiscard]] bool is_other_dead(const Scope& branch) const;

  void join_branches(const Node& node);
  void merge(ValueId then_value, ValueId else_value, ValueId output, const Node& node);
  void enter_loop(const Node& node);
  void exit_loop(const Node& node);
  std::optional<std::int64_t> count_trips(const Node& enter, const Node& exit, const Scope& scope);
  void carry(ValueId before, ValueId after, ValueId output, const Scope& scope);
  void stack(ValueId element, ValueId output, std::optional<std::int64_t> count, std::int64_t axis);
  void enter_scan(const Node& node);
  void exit_scan(const Node& node);

  Graph& graph_;
  const ShapeBindings& bindings_;
  Warnings& warnings_;
  struct Branches {
    ValueId condition = kNoValue;
    std::array<Scope*, 2> scopes{};  // then, else
  };
  std::unordered_map<std::int64_t, Branches> branches_;   // by branch group
  std::unordered_map<std::int64_t, const Node*> enters_;  // LoopEnter and ScanEnter by scope
};

}  // namespace layersim
