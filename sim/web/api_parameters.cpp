#include "sim/web/api_parameters.h"

#include <algorithm>

#include "sim/core/error.h"
#include "sim/core/json.h"
#include "sim/core/parse_number.h"

namespace layersim {
namespace {

constexpr std::size_t kLongestValue = 4096;

std::string quoted(const std::string& name) { return "'" + name.substr(0, 60) + "'"; }

void add(std::map<std::string, std::string>& values, const std::string& name, const std::string& value) {
  if (!values.emplace(name, value).second) throw bad_use(quoted(name) + " is given more than once");
}

std::string as_text(const std::string& name, const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_null()) return "";
  if (value.is_number() || value.is_boolean()) return value.dump();
  throw bad_use(quoted(name) + " must be a text or a number");
}

std::map<std::string, std::string> members_of(std::string_view body) {
  // Depth is bounded, since the object's members may hold nothing. Of a repeated name the parser keeps the
  // last.
  int depth = 0;
  std::map<std::string, std::string> names;
  const auto look_at = [&](int at, Json::parse_event_t event, Json& value) {
    depth = std::max(depth, at);
    if (at == 1 && event == Json::parse_event_t::key) add(names, value.get<std::string>(), "");
    return depth <= 2;
  };
  const Json json = Json::parse(body, look_at, false);
  if (json.is_discarded() || !json.is_object()) throw bad_use("the body is no JSON object");
  std::map<std::string, std::string> members;
  for (const auto& [name, value] : json.items()) members[name] = as_text(name, value);
  return members;
}

std::map<std::string, std::string> values_of(const std::multimap<std::string, std::string>& query,
                                             std::string_view body) {
  if (!body.empty()) {
    if (!query.empty()) {
      throw bad_use("the body has all parameters: " + quoted(query.begin()->first) +
                    " of the query belongs there");
    }
    return members_of(body);
  }
  std::map<std::string, std::string> values;
  for (const auto& [name, value] : query) add(values, name, value);
  return values;
}

}  // namespace

ApiParameters::ApiParameters(const std::multimap<std::string, std::string>& query, std::string_view body)
    : values_(values_of(query, body)) {
  for (const auto& [name, value] : values_) {
    if (value.size() > kLongestValue) throw bad_use(quoted(name) + " is too long");
  }
}

std::optional<std::string> ApiParameters::text(const std::string& name) {
  read_.insert(name);
  const auto found = values_.find(name);
  if (found == values_.end() || found->second.empty()) return std::nullopt;
  return found->second;
}

std::string ApiParameters::required(const std::string& name) {
  if (auto value = text(name)) return *value;
  throw bad_use("'" + name + "' is missing");
}

std::optional<std::int64_t> ApiParameters::count(const std::string& name, std::int64_t least,
                                                 std::int64_t most) {
  const auto value = text(name);
  if (!value) return std::nullopt;
  const std::int64_t number = parse_count("'" + name + "'", *value, least);
  if (number > most) throw bad_use("'" + name + "' is " + std::to_string(most) + " at most");
  return number;
}

std::optional<double> ApiParameters::positive(const std::string& name) {
  const auto value = text(name);
  if (!value) return std::nullopt;
  return parse_positive("'" + name + "'", *value);
}

std::optional<std::size_t> ApiParameters::choice(const std::string& name,
                                                 std::span<const std::string_view> names) {
  const auto value = text(name);
  if (!value) return std::nullopt;
  const auto found = std::find(names.begin(), names.end(), *value);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  std::string known;
  for (const std::string_view one : names) known.append(known.empty() ? "" : ", ").append(one);
  throw bad_use("'" + name + "' is none of " + known);
}

void ApiParameters::check_all_read() const {
  for (const auto& [name, value] : values_) {
    if (read_.count(name) == 0) throw bad_use("unknown parameter " + quoted(name));
  }
}

}  // namespace layersim
