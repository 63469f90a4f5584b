#pragma once
// One error type for the whole program. An error has a kind, which decides the exit code, and one line of
// text that grows from the inside out: the place that notices says what is wrong, each level above prefixes
// where (file > node > field), so that the user reads "net.onnx: node 'conv1' (Conv): group 3 does not divide
// 64 channels".

#include <stdexcept>
#include <string>
#include <utility>

namespace layersim {

// The value is the exit code of the program.
enum class ErrorKind {
  check_failed = 1,       // a comparison that the user asked for does not hold
  bad_use = 2,            // wrong or contradictory command-line options
  bad_input = 3,          // a file that cannot be read as what it should be
  nothing_predicted = 4,  // nothing in the network could be predicted
  internal = 5,           // a defect of this program
};

class Error : public std::exception {
 public:
  Error(ErrorKind kind, std::string message) : kind_(kind), message_(std::move(message)) {}

  // Says where: the message becomes "<context>: <message>", unless it begins with the context already.
  Error& within(const std::string& context) {
    const bool is_said = message_.starts_with(context + ": ") || message_.starts_with('\'' + context + '\'');
    if (!is_said) message_ = context + ": " + message_;
    return *this;
  }

  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }
  [[nodiscard]] int exit_code() const noexcept { return static_cast<int>(kind_); }
  [[nodiscard]] const char* what() const noexcept override { return message_.c_str(); }

 private:
  ErrorKind kind_;
  std::string message_;
};

[[nodiscard]] inline Error bad_use(std::string message) { return {ErrorKind::bad_use, std::move(message)}; }
[[nodiscard]] inline Error bad_input(std::string message) {
  return {ErrorKind::bad_input, std::move(message)};
}
[[nodiscard]] inline Error internal_error(std::string message) {
  return {ErrorKind::internal, std::move(message)};
}

// Runs `body`; an Error that leaves it gets `context` put before its message.
template <typename Body>
decltype(auto) with_context(const std::string& context, Body&& body) {
  try {
    return std::forward<Body>(body)();
  } catch (Error& error) {
    error.within(context);
    throw;
  }
}

}  // namespace layersim
