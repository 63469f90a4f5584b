#include "sim/graph/batch_axis.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <unordered_set>

#include "sim/graph/size_expression.h"

namespace layersim {
namespace {

using BatchAxes = std::vector<std::optional<std::size_t>>;

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

bool is_named_batch(const std::string& symbol) {
  if (is_size_expression(symbol)) return false;  // "batch * heads" is a multiple of it
  constexpr std::array kShort{"n", "b", "bs", "bsz", "nb"};
  const std::string name = lower(symbol);
  return name.find("batch") != std::string::npos ||
         std::find(kShort.begin(), kShort.end(), name) != kShort.end();
}

bool is_named_length(const std::string& symbol) {
  constexpr std::array kParts{"seq", "len", "time", "frame", "token", "step", "height", "width"};
  const std::string name = lower(symbol);
  return name == "t" || name == "l" || name == "s" ||
         std::any_of(kParts.begin(), kParts.end(),
                     [&](const char* part) { return name.find(part) != std::string::npos; });
}

// Exporters number axes for which they have no name.
bool is_nameless(const std::string& symbol) {
  return symbol.empty() || symbol == "?" || symbol == "None" || symbol.starts_with("unk_");
}

bool is_recurrent(const Node& node) {
  return node.domain.empty() && (node.op == "LSTM" || node.op == "GRU" || node.op == "RNN");
}

// Inputs whose axis 1 is the batch because a recurrent operator reads them so.
std::unordered_set<ValueId> time_first_inputs(const Graph& graph) {
  std::unordered_set<ValueId> found;
  for (const Node& node : graph.nodes) {
    if (!is_recurrent(node) || node.int_attribute("layout").value_or(0) != 0) continue;
    for (const std::size_t index : {0, 5, 6}) {
      if (node.input(index) != kNoValue) found.insert(node.input(index));
    }
  }
  return found;
}

class BatchAxisFinder {
 public:
  explicit BatchAxisFinder(const Graph& graph) : graph_(graph), time_first_(time_first_inputs(graph)) {}

  BatchAxes find() const {
    if (auto axes = by_name(); any(axes)) return axes;
    if (auto axes = by_first_symbol(); any(axes)) return axes;
    return by_first_size();
  }

 private:
  static bool any(const BatchAxes& axes) {
    return std::any_of(axes.begin(), axes.end(), [](const auto& axis) { return axis.has_value(); });
  }

  const DeclaredShape* declared(std::size_t input) const {
    const auto& shape = graph_.value(graph_.inputs[input]).declared;
    return shape && !shape->empty() ? &*shape : nullptr;
  }

  // Where the batch stands when no name tells.
  std::optional<std::size_t> usual_axis(std::size_t input) const {
    const DeclaredShape* shape = declared(input);
    if (shape == nullptr) return std::nullopt;
    const std::size_t axis = time_first_.contains(graph_.inputs[input]) ? 1 : 0;
    return axis < shape->size() ? std::optional(axis) : std::nullopt;
  }

  BatchAxes axes_with(const std::unordered_set<std::string>& symbols) const {
    BatchAxes axes(graph_.inputs.size());
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const DeclaredShape* shape = declared(i);
      for (std::size_t axis = 0; shape != nullptr && axis < shape->size() && !axes[i]; ++axis) {
        if (symbols.contains((*shape)[axis].symbol)) axes[i] = axis;
      }
    }
    return axes;
  }

  BatchAxes by_name() const {
    std::unordered_set<std::string> first;
    std::unordered_set<std::string> later;
    for (std::size_t i = 0; i < graph_.inputs.size(); ++i) {
      const DeclaredShape* shape = declared(i);
      for (std::size_t axis = 0; shape != nullptr && axis < shape->size(); ++axis) {
        const std::string& symbol = (*shape)[axis].symbol;
        if (is_named_batch(symbol)) (axis == 0 ? first : later).insert(symbol);
      }
    }
    return axes_with(first.empty() ? later : first);
  }

  BatchAxes by_first_symbol() const {
    BatchAxes axes(graph_.inputs.size());
    std::unordered_set<std::string> symbols;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const auto axis = usual_axis(i);
      if (!axis) continue;
      const DeclaredDim& dim = (*declared(i))[*axis];
      const bool nameless = is_nameless(dim.symbol);
      if (dim.size >= 0 || is_named_length(dim.symbol) || !(nameless || symbols.empty())) continue;
      axes[i] = axis;
      if (!dim.symbol.empty()) symbols.insert(dim.symbol);
    }
    const BatchAxes same_symbol = axes_with(symbols);
    for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = axes[i] ? axes[i] : same_symbol[i];
    return axes;
  }

  BatchAxes by_first_size() const {
    BatchAxes axes(graph_.inputs.size());
    std::int64_t batch = kUnknownDim;
    // An input of rank 1 decides nothing beside others: it may be a threshold or a time step.
    for (const std::size_t least_rank : {2, 1}) {
      for (std::size_t i = 0; i < axes.size() && batch < 0; ++i) {
        const auto axis = usual_axis(i);
        if (axis && declared(i)->size() >= least_rank) batch = (*declared(i))[*axis].size;
      }
    }
    for (std::size_t i = 0; batch >= 0 && i < axes.size(); ++i) {
      const auto axis = usual_axis(i);
      if (axis && (*declared(i))[*axis].size == batch) axes[i] = axis;
    }
    return axes;
  }

  const Graph& graph_;
  std::unordered_set<ValueId> time_first_;
};

}  // namespace

std::vector<std::optional<std::size_t>> find_batch_axes(const Graph& graph) {
  return BatchAxisFinder(graph).find();
}

}  // namespace layersim
