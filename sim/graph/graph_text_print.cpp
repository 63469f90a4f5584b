#include <charconv>
#include <unordered_set>

#include "sim/core/error.h"
#include "sim/graph/graph_text.h"

namespace layersim {
namespace {

std::string spell(double value) {
  std::string text(32, '\0');
  const auto result = std::to_chars(text.data(), text.data() + text.size(), value);
  text.resize(static_cast<std::size_t>(result.ptr - text.data()));
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}
std::string spell(std::int64_t value) { return std::to_string(value); }
std::string spell(const std::string& value) { return '"' + value + '"'; }
std::string spell(const Tensor& value) {
  return '"' + std::string(name(value.dtype)) + ' ' + (value.shape ? to_string(*value.shape) : "?") + '"';
}

template <typename T>
std::string spell(const std::vector<T>& values) {
  std::string text = "[";
  for (const auto& value : values) text += (text.size() > 1 ? ", " : "") + spell(value);
  return text + "]";
}

class TextPrinter {
 public:
  explicit TextPrinter(const Graph& graph) : graph_(graph) {
    for (std::size_t id = 0; id < graph.values.size(); ++id)
      names_.push_back(unique_name(graph.values[id].name, id));
  }

  std::string print() {
    const int opset = graph_.nodes.empty() ? 17 : graph_.nodes.front().opset;
    text_ = "network " + legal(graph_.name.empty() ? "network" : graph_.name) + " opset " +
            std::to_string(opset) + '\n';
    for (const ValueId id : graph_.inputs) {
      const Value& value = graph_.value(id);
      line("input " + typed(id) +
           (value.declared ? spell_shape(*value.declared) : spell_shape(value.tensor)));
    }
    for (std::size_t i = 0; i < graph_.values.size(); ++i) stored(static_cast<ValueId>(i));
    for (const Node& node : graph_.nodes) print_node(node);
    for (const ValueId id : graph_.outputs) line("output " + name_of(id));
    return std::move(text_);
  }

 private:
  static std::string legal(std::string name) {
    for (char& c : name) {
      const bool fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                        c == '.' || c == '_' || c == '/' || c == '-';
      if (!fine) c = '_';
    }
    return name;
  }

  std::string unique_name(const std::string& name, std::size_t id) {
    std::string candidate = legal(name);
    if (candidate.empty() || candidate == "_" || !taken_.insert(candidate).second) {
      candidate += "_v" + std::to_string(id);
      taken_.insert(candidate);
    }
    return candidate;
  }

  std::string name_of(ValueId id) const {
    return id == kNoValue ? "_" : names_.at(static_cast<std::size_t>(id));
  }

  std::string typed(ValueId id) const {
    return name_of(id) + ' ' + std::string(name(graph_.value(id).tensor.dtype)) + ' ';
  }

  static std::string spell_shape(const DeclaredShape& shape) {
    std::string text = "[";
    for (const auto& dim : shape) {
      if (text.size() > 1) text += ", ";
      text += dim.symbol.empty() ? spell(dim.size) : legal(dim.symbol);
    }
    return text + "]";
  }

  static std::string spell_shape(const Tensor& tensor) { return tensor.shape ? spell(*tensor.shape) : "[]"; }

  void stored(ValueId id) {
    const Value& value = graph_.value(id);
    if (value.origin != Origin::weight && value.origin != Origin::constant) return;
    std::string text =
        (value.origin == Origin::weight ? "weight " : "constant ") + typed(id) + spell_shape(value.tensor);
    if (value.tensor.constant) {
      const Constant& contents = *value.tensor.constant;
      std::string list = is_float(value.tensor.dtype) ? spell(contents.reals) : spell(contents.ints);
      list.front() = '{';
      list.back() = '}';
      text += " = " + list;
    }
    line(text);
  }

  void print_node(const Node& node) {
    std::string text;
    for (const ValueId id : node.outputs) text += (text.empty() ? "" : ", ") + name_of(id);
    text += " = " + (node.domain.empty() ? "" : node.domain + "::") + node.op + "(";
    for (std::size_t i = 0; i < node.inputs.size(); ++i)
      text += (i > 0 ? ", " : "") + name_of(node.inputs[i]);
    text += ")";
    std::string attributes;
    for (const auto& attribute : node.attributes) {
      attributes += (attributes.empty() ? "" : ", ") + attribute.name + "=" +
                    std::visit([](const auto& value) { return spell(value); }, attribute.value);
    }
    if (!attributes.empty()) text += " {" + attributes + "}";
    if (!node.name.empty()) text += " name \"" + node.name + '"';
    if (node.scope != 0) text += "  # scope " + std::to_string(node.scope);
    line(text);
  }

  void line(const std::string& text) { text_ += text + '\n'; }

  const Graph& graph_;
  std::vector<std::string> names_;
  std::unordered_set<std::string> taken_;
  std::string text_;
};

}  // namespace

std::string to_text(const Graph& graph) { return TextPrinter(graph).print(); }

}  // namespace layersim
