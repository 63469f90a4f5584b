#include "sim/import/torchscript/reader/check_code.h"

#include <torch/csrc/jit/frontend/lexer.h>

#include "sim/core/error.h"

namespace layersim {
namespace {

using namespace torch::jit;

class CodeCheck {
 public:
  explicit CodeCheck(const std::shared_ptr<Source>& source) : lexer_(source) {}

  void run() {
    bool after_equals = false;
    while (kind() != TK_EOF) {
      if (kind() == TK_DEF) {
        function();
        after_equals = false;
        continue;
      }
      if (kind() == TK_NEWLINE || kind() == TK_CLASS_DEF) after_equals = false;
      if (after_equals && !is_plain(true)) refuse("a value that is not a literal");
      if (kind() == '=') after_equals = true;
      step();
    }
  }

 private:
  int kind() { return lexer_.cur().kind; }

  void step() {
    previous_ = kind();
    lexer_.next();
  }

  [[noreturn]] void refuse(const std::string& what) {
    throw bad_input(
        "its code has " + what + " in line " +
        std::to_string(lexer_.cur().range.source()->lineno_for_offset(lexer_.cur().range.start()) + 1) +
        ", which would run while the file is only loaded: refused");
  }

  // Part of a literal, or, where types may stand, of the name of one.
  bool is_plain(bool with_types) {
    switch (kind()) {
      case TK_NUMBER:
      case TK_STRINGLITERAL:
      case TK_TRUE:
      case TK_FALSE:
      case TK_NONE:
      case TK_NEWLINE:
      case TK_INDENT:
      case TK_DEDENT:
      case TK_DEF:
      case TK_CLASS_DEF:
      case '-':
      case '[':
      case ']':
      case ',':
      case ')':
        return true;
      case '(':  // of a tuple, not of a call
        return previous_ == '=' || previous_ == ',' || previous_ == '(' || previous_ == '[';
      case '.':
      case TK_IDENT:
      case TK_NONE_TYPE:
        return with_types;
      default:
        return false;
    }
  }

  // "def name(self, x: int=3) -> int:" and its body.
  void function() {
    step();
    if (kind() == TK_IDENT && lexer_.cur().text() == "__setstate__") {
      refuse("a __setstate__");
    }
    int depth = 0;
    bool in_default = false;
    while (kind() != TK_EOF && kind() != TK_INDENT) {
      const int token = kind();
      if (in_default && depth == 1 && (token == ')' || token == ',')) in_default = false;
      if (in_default && !is_plain(false)) refuse("a default value that is not a literal");
      if (token == '(' || token == '[') ++depth;
      if (token == ')' || token == ']') --depth;
      if (token == '=' && depth == 1) in_default = true;
      step();
    }
    int blocks = 0;
    while (kind() != TK_EOF) {
      if (kind() == TK_INDENT) ++blocks;
      if (kind() == TK_DEDENT) --blocks;
      step();
      if (blocks == 0) return;
    }
  }

  Lexer lexer_;
  int previous_ = 0;
};

}  // namespace

void check_code(const std::shared_ptr<Source>& source) { CodeCheck(source).run(); }

}  // namespace layersim
