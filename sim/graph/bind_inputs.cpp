#include <algorithm>
#include <set>

#include "sim/core/error.h"
#include "sim/graph/batch_axis.h"
#include "sim/graph/infer_shapes.h"
#include "sim/graph/size_expression.h"

namespace layersim {
namespace {

std::string spell(const std::optional<DeclaredShape>& shape) {
  if (!shape) return "[unknown rank]";
  std::string text = "[";
  for (const DeclaredDim& dim : *shape) {
    if (text.size() > 1) text += ", ";
    text += dim.size >= 0 ? std::to_string(dim.size) : dim.symbol.empty() ? "?" : dim.symbol;
  }
  return text + "]";
}

// One line, also for a network with thousands of inputs.
std::string join(const std::vector<std::string>& parts) {
  constexpr std::size_t kMaxParts = 12;
  std::string text;
  for (std::size_t i = 0; i < std::min(parts.size(), kMaxParts); ++i) text += (i == 0 ? "" : ", ") + parts[i];
  return parts.size() <= kMaxParts ? text
                                   : text + " and " + std::to_string(parts.size() - kMaxParts) + " more";
}

class InputBinder {
 public:
  InputBinder(Graph& graph, const ShapeBindings& bindings, Warnings& warnings)
      : graph_(graph),
        bindings_(bindings),
        warnings_(warnings),
        batch_axes_(find_batch_axes(graph)),
        batch_(bindings.batch) {}

  void bind() {
    check_sizes();
    apply_input_options();
    check_dim_names();
    for (const auto& [symbol, size] : bindings_.dims) assign(symbol, size, "--dim");
    bind_batch();
    for (std::size_t i = 0; i < graph_.inputs.size(); ++i) bind_declared(i);
    report_unbound();
  }

 private:
  Value& input(std::size_t i) { return graph_.value(graph_.inputs[i]); }

  std::string input_list() {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < graph_.inputs.size(); ++i)
      names.push_back(input(i).name + ' ' + spell(input(i).declared));
    return names.empty() ? "the network has no inputs" : "inputs: " + join(names);
  }

  // For files that tell no shapes, as TorchScript.
  std::string hint_of_shapes() {
    for (std::size_t i = 0; i < graph_.inputs.size(); ++i) {
      if (!input(i).declared) return "; give the shape of a sample, as --input 1x3x224x224";
    }
    return {};
  }

  void check_sizes() const {
    if (bindings_.batch && *bindings_.batch < 1) throw bad_use("--batch should be at least 1");
    for (const auto& [name, size] : bindings_.dims) {
      if (size < 0) throw bad_use("--dim " + name + "=" + std::to_string(size) + ": a size is not negative");
    }
  }

  void apply_input_options() {
    for (const auto& [name, shape] : bindings_.inputs) {
      std::size_t target = graph_.inputs.size();
      for (std::size_t i = 0; i < graph_.inputs.size(); ++i) {
        if (name.empty() ? graph_.inputs.size() == 1 : input(i).name == name) target = i;
      }
      const std::string option = "--input " + (name.empty() ? "" : name + "=") + to_string(shape);
      if (target == graph_.inputs.size()) {
        throw bad_use(option + (name.empty() ? ": needs a name; " : ": no such input; ") + input_list());
      }
      const Value& value = input(target);
      const bool fits = !value.declared || value.declared->size() == shape.size();
      if (!is_known(shape) || !fits) {
        throw bad_use(option + ": input '" + value.name + "' is " + spell(value.declared));
      }
      Shape bound = shape;
      // The shape of one sample beside --batch: so many of them.
      if (batch_axes_[target] && bindings_.batch && shape[*batch_axes_[target]] == 1) {
        bound[*batch_axes_[target]] = *bindings_.batch;
      }
      check_asked(option, value, bound);
      input(target).tensor.shape = bound;
      for (std::size_t axis = 0; value.declared && axis < bound.size(); ++axis) {
        const DeclaredDim& dim = (*value.declared)[axis];
        if (dim.size < 0 && !dim.symbol.empty()) assign(dim.symbol, bound[axis], "--input");
      }
      if (!batch_axes_[target]) continue;
      const std::int64_t batch = bound[*batch_axes_[target]];
      if (batch < 1) throw bad_use(option + ": the batch should be at least 1");
      if (bindings_.batch && batch != *bindings_.batch) {
        throw bad_use(option + ": contradicts --batch " + std::to_string(*bindings_.batch));
      }
      if (!batch_) batch_ = batch;
    }
  }

  // --dim also names symbols of computed values and loops.
  void check_dim_names() {
    if (bindings_.dims.empty()) return;
    std::set<std::string> names;
    std::set<std::string> input_names;
    for (const Value& value : graph_.values) {
      if (!value.declared) continue;
      for (const DeclaredDim& dim : *value.declared) {
        if (!dim.symbol.empty()) (value.origin == Origin::input ? input_names : names).insert(dim.symbol);
      }
    }
    for (const Scope& scope : graph_.scopes) {
      if (scope.kind == Scope::Kind::loop) input_names.insert(scope.name);
    }
    for (const auto& [name, size] : bindings_.dims) {
      if (names.contains(name) || input_names.contains(name)) continue;
      const std::string known = join({input_names.begin(), input_names.end()});
      throw bad_use("--dim " + name + "=" + std::to_string(size) + ": no such axis; " +
                    (known.empty() ? "the network has no symbolic axes" : "symbolic axes: " + known));
    }
  }

  void assign(const std::string& symbol, std::int64_t size, const char* option) {
    const auto [found, fresh] = symbols_.emplace(symbol, size);
    if (!fresh && found->second != size) {
      throw bad_use(std::string(option) + " sets axis '" + symbol + "' to " + std::to_string(size) +
                    ", which is " + std::to_string(found->second) + " by another option");
    }
  }

  void bind_batch() {
    bool found = false;
    bool fixed = false;
    for (std::size_t i = 0; i < graph_.inputs.size(); ++i) {
      if (!batch_axes_[i]) continue;
      found = true;
      const DeclaredDim& dim = (*input(i).declared)[*batch_axes_[i]];
      if (dim.size >= 0) {
        fixed = fixed || !input(i).tensor.shape;
      } else if (bindings_.batch) {
        if (!dim.symbol.empty()) assign(dim.symbol, *bindings_.batch, "--batch");
      } else if (!dim.symbol.empty()) {
        symbols_.emplace(dim.symbol, 1);
      }
    }
    if (bindings_.batch && !found && bindings_.inputs.empty()) {
      throw bad_use("--batch: no input has a batch axis; " + input_list() + hint_of_shapes());
    }
    if (fixed && batch_) override_fixed_batch(*batch_);
  }

  void override_fixed_batch(std::int64_t batch) {
    std::vector<std::string> changed;
    std::int64_t in_file = batch;
    for (std::size_t i = 0; i < graph_.inputs.size(); ++i) {
      Value& value = input(i);
      if (!batch_axes_[i] || value.tensor.shape) continue;
      const std::int64_t size = (*value.declared)[*batch_axes_[i]].size;
      if (size < 0 || size == batch) continue;
      in_file = size;
      changed.push_back("'" + value.name + "'");
    }
    if (changed.empty()) return;
    // Without the batch that was asked for: of a study of many batches it is said once.
    warnings_.add("the file fixes batch " + std::to_string(in_file) + " of input " + join(changed) +
                  "; the batch that is asked for is applied");
  }

  void bind_declared(std::size_t i) {
    Value& value = input(i);
    if (value.tensor.shape) return;
    if (!value.declared) {
      unbound_.push_back("input '" + value.name + "' of unknown rank");
      any_nameless_ = true;
      return;
    }
    Shape shape;
    std::vector<std::string> options;  // that its sizes are from
    for (std::size_t axis = 0; axis < value.declared->size(); ++axis) {
      const DeclaredDim& dim = (*value.declared)[axis];
      const bool is_batch = batch_axes_[i] == axis;
      std::int64_t size = dim.size;
      if (is_batch && (size >= 0 ? batch_.has_value() : dim.symbol.empty())) {
        size = batch_.value_or(1);
      } else if (size < 0) {
        size = size_of(dim.symbol).value_or(size);
        if (!is_batch && size >= 0) options.push_back("--dim " + dim.symbol + '=' + std::to_string(size));
      }
      if (is_batch && bindings_.batch) options.push_back("--batch " + std::to_string(size));
      if (size < 0) unbound(value, dim, axis);
      shape.push_back(size);
    }
    if (options.empty()) {
      with_context("input '" + value.name + "'", [&shape] { check_limits(shape); });
    } else {
      check_asked(join(options), value, shape);
    }
    value.tensor.shape = std::move(shape);
  }

  // A shape that the user asked for.
  static void check_asked(const std::string& options, const Value& value, const Shape& shape) {
    try {
      check_limits(shape);
    } catch (const Error& error) {
      throw bad_use(options + ": input '" + value.name + "': " + error.what());
    }
  }

  // By an option for the symbol itself, else calculated from those in it.
  [[nodiscard]] std::optional<std::int64_t> size_of(std::string_view symbol) const {
    if (symbol.empty()) return std::nullopt;
    const auto bound = symbols_.find(symbol);
    if (bound != symbols_.end()) return bound->second;
    if (!is_size_expression(symbol)) return std::nullopt;
    return evaluate_size(symbol, [this](std::string_view name) -> std::optional<std::int64_t> {
      const auto part = symbols_.find(name);
      return part == symbols_.end() ? std::nullopt : std::optional(part->second);
    });
  }

  void unbound(const Value& value, const DeclaredDim& dim, std::size_t axis) {
    const bool nameless = dim.symbol.empty();
    any_nameless_ = any_nameless_ || nameless;
    if (!nameless && !unbound_symbols_.insert(dim.symbol).second) return;
    unbound_.push_back((nameless ? "axis " + std::to_string(axis) : "'" + dim.symbol + "'") + " of input '" +
                       value.name + "' " + spell(value.declared));
  }

  void report_unbound() const {
    if (unbound_.empty()) return;
    std::vector<std::string> ways;
    for (const auto& symbol : unbound_symbols_) ways.push_back("--dim " + symbol + "=SIZE");
    if (any_nameless_ || ways.empty()) ways.emplace_back("--input NAME=SIZExSIZE...");
    throw bad_use("open sizes: " + join(unbound_) + "; give " + join(ways));
  }

  Graph& graph_;
  const ShapeBindings& bindings_;
  Warnings& warnings_;
  std::vector<std::optional<std::size_t>> batch_axes_;
  std::optional<std::int64_t> batch_;  // from --batch, else from the first --input
  std::map<std::string, std::int64_t, std::less<>> symbols_;
  std::vector<std::string> unbound_;
  std::set<std::string> unbound_symbols_;
  bool any_nameless_ = false;
};

}  // namespace

void bind_inputs(Graph& graph, const ShapeBindings& bindings, Warnings& warnings) {
  InputBinder(graph, bindings, warnings).bind();
}

}  // namespace layersim
