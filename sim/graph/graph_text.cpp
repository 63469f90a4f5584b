#include "sim/graph/graph_text.h"

#include <cctype>
#include <charconv>
#include <sstream>
#include <unordered_map>

#include "sim/core/error.h"

namespace layersim {
namespace {

bool is_name_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '/' || c == '-' ||
         c == '+';
}

// Reads one line, token by token.
class LineReader {
 public:
  explicit LineReader(std::string_view line) : rest_(line) { skip_space(); }

  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  [[nodiscard]] char peek() const { return rest_.empty() ? '\0' : rest_.front(); }

  bool accept(std::string_view token) {
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    skip_space();
    return true;
  }

  void expect(std::string_view token) {
    if (!accept(token))
      throw bad_input("expected '" + std::string(token) + "' before '" + std::string(rest_) + "'");
  }

  std::string name() {
    std::size_t length = 0;
    while (length < rest_.size() && is_name_char(rest_[length])) ++length;
    if (length == 0) throw bad_input("expected a name before '" + std::string(rest_) + "'");
    std::string text(rest_.substr(0, length));
    rest_.remove_prefix(length);
    skip_space();
    return text;
  }

  std::string quoted() {
    const std::size_t end = rest_.find('"', 1);
    if (peek() != '"' || end == std::string_view::npos) throw bad_input("expected a text in double quotes");
    std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    skip_space();
    return text;
  }

  // A number; an integer unless it has a point or an exponent.
  std::variant<std::int64_t, double> number() {
    const std::string text = name();
    const char* end = text.data() + text.size();
    std::int64_t integer = 0;
    if (const auto result = std::from_chars(text.data(), end, integer);
        result.ec == std::errc() && result.ptr == end) {
      return integer;
    }
    double real = 0;
    if (const auto result = std::from_chars(text.data(), end, real);
        result.ec == std::errc() && result.ptr == end) {
      return real;
    }
    throw bad_input("'" + text + "' is not a number");
  }

  std::int64_t integer() {
    const auto value = number();
    if (const auto* integer = std::get_if<std::int64_t>(&value)) return *integer;
    throw bad_input("expected an integer");
  }

  // item {, item} until `close`; the opening token has been read.
  template <typename Item>
  void list(std::string_view close, Item&& item) {
    if (accept(close)) return;
    do {
      item();
    } while (accept(","));
    expect(close);
  }

 private:
  void skip_space() {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_.front())) != 0)
      rest_.remove_prefix(1);
    if (!rest_.empty() && rest_.front() == '#') rest_ = {};
  }

  std::string_view rest_;
};

class TextParser {
 public:
  Graph parse(std::string_view text) {
    std::size_t line_number = 0;
    while (!text.empty()) {
      ++line_number;
      const std::size_t end = text.find('\n');
      const std::string_view line = text.substr(0, end);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
      with_context("line " + std::to_string(line_number), [&] {
        LineReader reader(line);
        if (!reader.at_end()) statement(reader);
        if (!reader.at_end()) throw bad_input("unexpected text at the end of the line");
      });
    }
    return std::move(graph_);
  }

 private:
  void statement(LineReader& reader) {
    std::vector<std::string> names;
    do {
      names.push_back(reader.name());
    } while (reader.accept(","));
    if (reader.accept("=")) return node(reader, names);
    const std::string& keyword = names.front();
    if (names.size() == 1 && keyword == "network") {
      graph_.name = reader.name();
      if (reader.accept("opset")) opset_ = static_cast<int>(reader.integer());
    } else if (names.size() == 1 && keyword == "output") {
      do {
        graph_.outputs.push_back(defined(reader.name()));
      } while (reader.accept(","));
    } else if (names.size() == 1 && (keyword == "input" || keyword == "weight" || keyword == "constant")) {
      declaration(reader, keyword);
    } else if (names.size() == 1 && keyword == "info") {
      Value& value = graph_.value(defined(reader.name()));
      value.tensor.dtype = dtype(reader);
      value.declared = declared_shape(reader);
    } else {
      throw bad_input(
          "expected 'network', 'input', 'weight', 'constant', 'info', 'output' or 'NAME = OP(...)'");
    }
  }

  void declaration(LineReader& reader, const std::string& keyword) {
    Value value;
    value.name = reader.name();
    value.tensor.dtype = dtype(reader);
    DeclaredShape declared = declared_shape(reader);
    if (keyword == "input") {
      value.origin = Origin::input;
      value.declared = std::move(declared);
    } else {
      value.origin = keyword == "weight" ? Origin::weight : Origin::constant;
      value.tensor.shape.emplace();
      for (const auto& dim : declared) {
        if (!dim.symbol.empty()) throw bad_input("a stored tensor has no symbolic axis '" + dim.symbol + "'");
        value.tensor.shape->push_back(dim.size);
      }
      check_limits(*value.tensor.shape);
      if (reader.accept("=")) value.tensor.constant = contents(reader, value.tensor);
    }
    const bool is_input = value.origin == Origin::input;
    const std::string name = value.name;
    if (name == "_") throw bad_input("'_' stands for a value that is not there");
    if (!ids_.emplace(name, graph_.add_value(std::move(value))).second) {
      throw bad_input("'" + name + "' is defined twice");
    }
    if (is_input) graph_.inputs.push_back(ids_.at(name));
  }

  std::shared_ptr<const Constant> contents(LineReader& reader, const Tensor& tensor) {
    auto constant = std::make_shared<Constant>();
    reader.expect("{");
    reader.list("}", [&] {
      const auto number = reader.number();
      if (is_float(tensor.dtype)) {
        constant->reals.push_back(std::visit([](auto v) { return static_cast<double>(v); }, number));
      } else if (const auto* integer = std::get_if<std::int64_t>(&number)) {
        constant->ints.push_back(*integer);
      } else {
        throw bad_input("an integer tensor cannot hold a fraction");
      }
    });
    const auto count = static_cast<std::int64_t>(constant->ints.size() + constant->reals.size());
    if (count != element_count(*tensor.shape)) throw bad_input("the contents do not fit the shape");
    return constant;
  }

  static DType dtype(LineReader& reader) {
    const std::string text = reader.name();
    if (const auto parsed = parse_dtype(text)) return *parsed;
    throw bad_input("unknown data type '" + text + "'");
  }

  static DeclaredShape declared_shape(LineReader& reader) {
    DeclaredShape shape;
    reader.expect("[");
    reader.list("]", [&] {
      if (std::isdigit(static_cast<unsigned char>(reader.peek())) != 0) {
        shape.push_back({reader.integer(), ""});
      } else {
        shape.push_back({kUnknownDim, reader.name()});
      }
    });
    return shape;
  }

  ValueId use(const std::string& name) { return name == "_" ? kNoValue : defined(name); }

  ValueId defined(const std::string& name) {
    const auto found = ids_.find(name);
    if (found == ids_.end()) throw bad_input("'" + name + "' is not defined");
    return found->second;
  }

  void node(LineReader& reader, const std::vector<std::string>& outputs) {
    Node node;
    node.op = reader.name();
    if (reader.accept("::")) {
      node.domain = node.op;
      node.op = reader.name();
    }
    node.opset = node.domain.empty() ? opset_ : 1;
    reader.expect("(");
    reader.list(")", [&] { node.inputs.push_back(use(reader.name())); });
    if (reader.accept("{")) {
      reader.list("}", [&] {
        std::string name = reader.name();
        reader.expect("=");
        node.attributes.push_back({std::move(name), attribute_value(reader)});
      });
    }
    node.name = reader.accept("name") ? reader.quoted() : outputs.front();
    for (const auto& name : outputs) {
      if (name == "_") {
        node.outputs.push_back(kNoValue);
        continue;
      }
      const ValueId id = graph_.add_value({name, Origin::computed, {}, {}, {}});
      if (!ids_.emplace(name, id).second) throw bad_input("'" + name + "' is defined twice");
      node.outputs.push_back(id);
    }
    graph_.add_node(std::move(node));
  }

  static AttributeValue attribute_value(LineReader& reader) {
    if (reader.peek() == '"') return reader.quoted();
    if (!reader.accept("[")) {
      return std::visit([](auto v) -> AttributeValue { return v; }, reader.number());
    }
    std::vector<std::string> texts;
    std::vector<std::int64_t> ints;
    std::vector<double> reals;
    reader.list("]", [&] {
      if (reader.peek() == '"') {
        texts.push_back(reader.quoted());
        return;
      }
      const auto number = reader.number();
      if (const auto* integer = std::get_if<std::int64_t>(&number)) ints.push_back(*integer);
      reals.push_back(std::visit([](auto v) { return static_cast<double>(v); }, number));
    });
    if (!texts.empty()) return texts;
    if (ints.size() == reals.size()) return ints;
    return reals;
  }

  Graph graph_;
  int opset_ = 17;
  std::unordered_map<std::string, ValueId> ids_;
};

}  // namespace

Graph parse_graph_text(std::string_view text) { return TextParser().parse(text); }

}  // namespace layersim
