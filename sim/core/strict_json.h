#pragma once
// Strict reading of our own JSON files. A file is read within one call of read_json_file: the body takes what
// it knows from a JsonObject, and when it is done every key of the file must have been asked for. Missing,
// unknown and repeated keys, wrong types, numbers outside their range and syntax errors are bad_input, and
// name the file and the key (or the line): "k80.json: key 'cores.value': must be a number, not text".

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "sim/core/error.h"
#include "sim/core/json.h"

namespace layersim {

// The objects of one file: which of its values were asked for.
class JsonDocument {
 public:
  explicit JsonDocument(std::string_view text);
  [[nodiscard]] const Json& root() const { return root_; }
  void mark_read(const Json& value) { read_.insert(&value); }
  // Throws for the first key that nothing asked for.
  void check_all_read() const;

 private:
  Json root_;
  std::unordered_set<const Json*> read_;
};

// One object of the file. Valid within the body of read_json_file only.
class JsonObject {
 public:
  JsonObject(JsonDocument& document, const Json& value, std::string path);

  // T: double, std::int64_t, bool, std::string, JsonObject, or std::vector of one of these.
  template <typename T>
  [[nodiscard]] T get(std::string_view key) const {
    T result = read(required(key), path_of(key), static_cast<const T*>(nullptr));
    return result;
  }
  // The same for a key that may be absent.
  template <typename T>
  [[nodiscard]] std::optional<T> find(std::string_view key) const {
    if (!has(key)) return std::nullopt;
    return get<T>(key);
  }
  // A number within [low, high].
  [[nodiscard]] double number(std::string_view key, double low,
                              double high = std::numeric_limits<double>::max()) const;

  [[nodiscard]] bool has(std::string_view key) const { return value_->contains(key); }
  // Names of all members, for objects that are tables from names to values.
  [[nodiscard]] std::vector<std::string> keys() const;
  // The error "key '<path of key>': <message>", to be thrown.
  [[nodiscard]] Error error(std::string_view key, const std::string& message) const;

 private:
  [[nodiscard]] const Json& required(std::string_view key) const;
  [[nodiscard]] std::string path_of(std::string_view key) const;

  double read(const Json& value, const std::string& path, const double*) const;
  std::int64_t read(const Json& value, const std::string& path, const std::int64_t*) const;
  bool read(const Json& value, const std::string& path, const bool*) const;
  std::string read(const Json& value, const std::string& path, const std::string*) const;
  JsonObject read(const Json& value, const std::string& path, const JsonObject*) const;
  template <typename T>
  std::vector<T> read(const Json& value, const std::string& path, const std::vector<T>*) const {
    std::vector<T> items;
    for (const Json& item : array(value, path)) {
      items.push_back(
          read(item, path + '[' + std::to_string(items.size()) + ']', static_cast<const T*>(nullptr)));
    }
    return items;
  }
  static const Json& array(const Json& value, const std::string& path);

  JsonDocument* document_;
  const Json* value_;
  std::string path_;  // "" for the root, else "memory.banks[2]"
};

// The shortest text that reads back as the same number: "200", "0.5".
[[nodiscard]] std::string number_text(double value);

// The text of a small file of ours; bad_input when it cannot be read or is larger than 64 MiB.
[[nodiscard]] std::string read_small_file(const std::filesystem::path& path);

// Members of the root object, without a look at what follows the last of `keys`: to find out cheaply whether
// a file is the one to read. Members that are not there, or not in JSON up to there, are left out.
[[nodiscard]] Json peek_members(std::string_view text, std::span<const std::string_view> keys);

// Runs `body(const JsonObject& root)` on the text and returns what it returns. `name` stands before every
// error.
template <typename Body>
auto read_json_text(const std::string& name, std::string_view text, Body&& body) {
  return with_context(name, [&] {
    JsonDocument document(text);
    auto result = std::forward<Body>(body)(JsonObject(document, document.root(), ""));
    document.check_all_read();
    return result;
  });
}

template <typename Body>
auto read_json_file(const std::filesystem::path& path, Body&& body) {
  return read_json_text(path.string(), read_small_file(path), std::forward<Body>(body));
}

}  // namespace layersim
