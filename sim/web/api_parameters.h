#pragma once
// Parameters of a request: those of the query, or the members of a JSON object. Each is given once, and every
// one must be asked for: what nobody knows is an error.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace layersim {

class ApiParameters {
 public:
  // Where there is a body, an object whose members are texts, numbers and booleans, it has all parameters and
  // the query none. Throws bad_use naming the parameter.
  ApiParameters(const std::multimap<std::string, std::string>& query, std::string_view body);

  // Empty values count as not given. All throw bad_use naming the parameter.
  [[nodiscard]] std::optional<std::string> text(const std::string& name);
  [[nodiscard]] std::string required(const std::string& name);
  [[nodiscard]] std::optional<std::int64_t> count(const std::string& name, std::int64_t least,
                                                  std::int64_t most);
  [[nodiscard]] std::optional<double> positive(const std::string& name);
  [[nodiscard]] std::optional<std::size_t> choice(const std::string& name,
                                                  std::span<const std::string_view> names);
  void check_all_read() const;

 private:
  std::map<std::string, std::string> values_;
  std::set<std::string> read_;
};

}  // namespace layersim
