#include "sim/graph/size_expression.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace layersim {
namespace {

constexpr int kMaxDepth = 32;  // of parentheses

using Size = std::optional<std::int64_t>;

bool is_name_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; }

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  return a / b - static_cast<std::int64_t>(a % b != 0 && (a < 0) != (b < 0));
}

// sum = product {(+|-) product}; product = factor {(*|//|/) factor}; factor = number | name | ( sum )
class ExpressionReader {
 public:
  ExpressionReader(std::string_view text, const std::function<Size(std::string_view)>& size_of)
      : rest_(text), size_of_(size_of) {}

  Size read() {
    const Size result = sum(0);
    skip_space();
    return rest_.empty() ? result : std::nullopt;
  }

 private:
  void skip_space() {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
  }

  bool accept(std::string_view token) {
    skip_space();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  Size sum(int depth) {
    Size total = product(depth);
    while (total) {
      const bool minus = accept("-");
      if (!minus && !accept("+")) break;
      const Size next = product(depth);
      std::int64_t result = 0;
      if (!next || (minus ? __builtin_sub_overflow(*total, *next, &result)
                          : __builtin_add_overflow(*total, *next, &result))) {
        return std::nullopt;
      }
      total = result;
    }
    return total;
  }

  Size product(int depth) {
    Size total = factor(depth);
    while (total) {
      const bool divides = accept("//") || accept("/");
      if (!divides && !accept("*")) break;
      const Size next = factor(depth);
      if (!next || (divides && (*next == 0 || *next == -1))) return std::nullopt;
      std::int64_t result = 0;
      if (divides) {
        result = floor_divide(*total, *next);
      } else if (__builtin_mul_overflow(*total, *next, &result)) {
        return std::nullopt;
      }
      total = result;
    }
    return total;
  }

  Size factor(int depth) {
    if (accept("(")) {
      if (depth >= kMaxDepth) return std::nullopt;
      const Size inner = sum(depth + 1);
      return accept(")") ? inner : std::nullopt;
    }
    skip_space();
    const auto* end = std::find_if_not(rest_.begin(), rest_.end(), is_name_char);
    const auto word = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    rest_.remove_prefix(word.size());
    if (word.empty()) return std::nullopt;
    if (std::isdigit(static_cast<unsigned char>(word.front())) == 0) return size_of_(word);
    std::int64_t number = 0;
    const auto result = std::from_chars(word.data(), word.data() + word.size(), number);
    const bool whole = result.ec == std::errc() && result.ptr == word.data() + word.size();
    return whole ? Size(number) : std::nullopt;
  }

  std::string_view rest_;
  const std::function<Size(std::string_view)>& size_of_;
};

}  // namespace

bool is_size_expression(std::string_view symbol) {
  return symbol.find_first_of("+-*/( ") != std::string_view::npos;
}

std::optional<std::int64_t> evaluate_size(std::string_view expression,
                                          const std::function<Size(std::string_view)>& size_of) {
  const Size size = ExpressionReader(expression, size_of).read();
  return size && *size >= 0 ? size : std::nullopt;
}

}  // namespace layersim
