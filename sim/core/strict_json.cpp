#include "sim/core/strict_json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fstream>

namespace layersim {
namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{64} << 20;
constexpr int kMaxDepth = 64;
constexpr std::size_t kMaxMessage = 200;

Error key_error(const std::string& path, const std::string& message) {
  return bad_input((path.empty() ? "" : "key '" + path + "': ") + message);
}

// nlohmann keeps the last of repeated keys, so they are looked for while it parses.
class KeyTracker {
 public:
  bool operator()(int depth, Json::parse_event_t event, const Json& parsed) {
    using Event = Json::parse_event_t;
    if (depth > kMaxDepth) throw key_error(path(), "nested deeper than 64 levels");
    if (event == Event::object_start) {
      objects_.emplace_back();
    } else if (event == Event::object_end) {
      objects_.pop_back();
    } else if (event == Event::key) {
      Object& object = objects_.back();
      object.current = parsed.get<std::string>();
      if (!object.seen.insert(object.current).second) throw key_error(path(), "given twice");
    }
    return true;
  }

  // Of the key read last.
  [[nodiscard]] std::string path() const {
    std::string text;
    for (const Object& object : objects_) {
      if (object.current.empty()) continue;
      if (!text.empty()) text += '.';
      text += object.current;
    }
    return text;
  }

 private:
  struct Object {
    std::unordered_set<std::string> seen;
    std::string current;
  };
  std::vector<Object> objects_;
};

// "line 3, column 5: syntax error while ..." of "[json.exception.parse_error.101] parse error at line 3,
// ...".
std::string without_prefix(const std::string& what) {
  const std::string_view at = "parse error at ";
  std::size_t start = what.find(at);
  start = start == std::string::npos ? what.find("] ") + 2 : start + at.size();
  std::string message = what.substr(start, kMaxMessage);
  if (what.size() - start > kMaxMessage) message += " ...";
  return message;
}

Json parse(std::string_view text) {
  KeyTracker tracker;
  try {
    return Json::parse(text.begin(), text.end(), [&](int depth, Json::parse_event_t event, Json& parsed) {
      return tracker(depth, event, parsed);
    });
  } catch (const Json::parse_error& error) {
    throw bad_input(without_prefix(error.what()));
  } catch (const Json::out_of_range& error) {
    throw key_error(tracker.path(), without_prefix(error.what()));
  }
}

std::string_view type_name(const Json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list";
  if (value.is_string()) return "text";
  if (value.is_boolean()) return "true or false";
  if (value.is_null()) return "null";
  return value.is_number_integer() ? "a whole number" : "a number";
}

Error type_error(const std::string& path, std::string_view wanted, const Json& value) {
  return key_error(path, "must be " + std::string(wanted) + ", not " + std::string(type_name(value)));
}

}  // namespace

JsonDocument::JsonDocument(std::string_view text) : root_(parse(text)) {}

void JsonDocument::check_all_read() const {
  const auto check = [this](const auto& self, const Json& value, const std::string& path) -> void {
    if (value.is_array()) {
      for (std::size_t i = 0; i < value.size(); ++i)
        self(self, value[i], path + '[' + std::to_string(i) + ']');
    } else if (value.is_object()) {
      for (auto item = value.begin(); item != value.end(); ++item) {
        const std::string key = path.empty() ? item.key() : path + '.' + item.key();
        if (read_.count(&item.value()) == 0) throw key_error(key, "unknown key");
        self(self, item.value(), key);
      }
    }
  };
  check(check, root_, "");
}

Json peek_members(std::string_view text, std::span<const std::string_view> keys) {
  struct Found {};
  Json members = Json::object();
  std::string key;
  const auto take = [&](int depth, Json::parse_event_t event, const Json& parsed) {
    using Event = Json::parse_event_t;
    if (depth != 1) return depth < kMaxDepth;
    if (event == Event::key) {
      key = parsed.get<std::string>();
    } else if (event != Event::object_start && event != Event::array_start &&
               std::find(keys.begin(), keys.end(), key) != keys.end()) {
      members[key] = parsed;
      if (members.size() == keys.size()) throw Found();
    }
    return true;
  };
  try {
    const Json whole = Json::parse(text.begin(), text.end(), take);
  } catch (const Found&) {
  } catch (const Json::exception&) {
  }
  return members;
}

JsonObject::JsonObject(JsonDocument& document, const Json& value, std::string path)
    : document_(&document), value_(&value), path_(std::move(path)) {
  if (!value.is_object()) throw type_error(path_, "an object", value);
}

double JsonObject::number(std::string_view key, double low, double high) const {
  const auto value = get<double>(key);
  if (value < low || value > high) {
    throw error(key, number_text(value) + " is not within " + number_text(low) + " to " + number_text(high));
  }
  return value;
}

std::vector<std::string> JsonObject::keys() const {
  std::vector<std::string> names;
  for (auto item = value_->begin(); item != value_->end(); ++item) names.push_back(item.key());
  return names;
}

Error JsonObject::error(std::string_view key, const std::string& message) const {
  return key_error(path_of(key), message);
}

const Json& JsonObject::required(std::string_view key) const {
  const auto item = value_->find(key);
  if (item == value_->end()) throw error(key, "missing");
  document_->mark_read(*item);
  return *item;
}

std::string JsonObject::path_of(std::string_view key) const {
  return path_.empty() ? std::string(key) : path_ + '.' + std::string(key);
}

double JsonObject::read(const Json& value, const std::string& path, const double*) const {
  if (!value.is_number()) throw type_error(path, "a number", value);
  const auto number = value.get<double>();
  if (!std::isfinite(number)) throw key_error(path, "must be a finite number");
  return number;
}

std::int64_t JsonObject::read(const Json& value, const std::string& path, const std::int64_t*) const {
  if (!value.is_number_integer()) throw type_error(path, "a whole number", value);
  if (value.is_number_unsigned() &&
      value.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    throw key_error(path, "does not fit into 64 bits");
  }
  return value.get<std::int64_t>();
}

bool JsonObject::read(const Json& value, const std::string& path, const bool*) const {
  if (!value.is_boolean()) throw type_error(path, "true or false", value);
  return value.get<bool>();
}

std::string JsonObject::read(const Json& value, const std::string& path, const std::string*) const {
  if (!value.is_string()) throw type_error(path, "text", value);
  return value.get<std::string>();
}

JsonObject JsonObject::read(const Json& value, const std::string& path, const JsonObject*) const {
  return {*document_, value, path};
}

const Json& JsonObject::array(const Json& value, const std::string& path) {
  if (!value.is_array()) throw type_error(path, "a list", value);
  return value;
}

std::string number_text(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

std::string read_small_file(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) throw bad_input(path.string() + ": is a folder");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw bad_input(path.string() + ": no such file, or not readable");
  std::string text;
  std::vector<char> block(std::size_t{1} << 16);
  while (file.read(block.data(), static_cast<std::streamsize>(block.size())), file.gcount() > 0) {
    text.append(block.data(), static_cast<std::size_t>(file.gcount()));
    if (text.size() > kMaxFileBytes) throw bad_input(path.string() + ": larger than 64 MiB");
  }
  if (file.bad()) throw bad_input(path.string() + ": cannot be read");
  return text;
}

}  // namespace layersim
