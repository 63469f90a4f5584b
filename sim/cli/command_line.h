#pragma once
// Reading a command's arguments with Boost.Program_options, and the values in them.

#include <boost/program_options.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/cli/command.h"
#include "sim/cli/file_use.h"
#include "sim/core/parse_number.h"

namespace layersim {

namespace options = boost::program_options;

// An option whose value is taken as text, and may be given once.
[[nodiscard]] options::typed_value<std::string>* text_value(const char* value_name);
// The same, any number of times.
[[nodiscard]] options::typed_value<std::vector<std::string>>* text_values(const char* value_name);

struct Arguments {
  options::variables_map values;
  std::vector<std::string> words;
  std::vector<NamedFile> files;  // of options and words

  [[nodiscard]] bool has(const char* option) const { return values.count(option) > 0; }
  [[nodiscard]] std::optional<std::string> text(const char* option) const;
  [[nodiscard]] std::vector<std::string> texts(const char* option) const;
  // A whole number from `least` to `most`.
  [[nodiscard]] std::optional<std::int64_t> count(const char* option, std::int64_t least,
                                                  std::int64_t most = kMaxElements) const;
};
// Words without a dash go to `words`, at most `max_words` of them, of which the first `names` are never
// files. Prints the help and returns nothing when --help is given. Throws bad_use, also where a file would be
// written over another.
[[nodiscard]] std::optional<Arguments> read_arguments(const Command& command,
                                                      const std::vector<options::options_description>& groups,
                                                      const std::vector<std::string>& arguments,
                                                      std::size_t max_words, std::size_t names = 0);

// --threads, of the processors that are here; nothing where it is not given. Throws bad_use for more.
[[nodiscard]] std::optional<int> read_threads(const Arguments& arguments);

// Index of the text among the names; throws bad_use, which names `subject` ("--mode") and all names.
[[nodiscard]] std::size_t parse_choice(const std::string& subject, std::string_view text,
                                       std::span<const std::string_view> names);
// "a,b" -> a, b; empty names do not count.
[[nodiscard]] std::vector<std::string> comma_separated(const std::string& text);
// "a, b or c", for help texts.
[[nodiscard]] std::string list_choices(std::span<const std::string_view> names);

}  // namespace layersim
