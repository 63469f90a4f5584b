#include "sim/core/strict_json.h"

#include <array>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

using namespace layersim;
using Catch::Matchers::Equals;
using Catch::Matchers::StartsWith;

namespace {

// The error of reading `text` with `body`, or "" when there is none.
template <typename Body>
std::string error_of(const std::string& text, Body body) {
  try {
    read_json_text("f.json", text, [&](const JsonObject& root) {
      body(root);
      return 0;
    });
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::bad_input);
    return error.what();
  }
  return "";
}

const auto kNothing = [](const JsonObject&) {};

}  // namespace

TEST_CASE("a JSON file is read by key and type") {
  const std::string text = R"({
    "n": 2.5, "i": -3, "on": true, "s": "text", "list": [1, 2.5], "names": ["a", "b"],
    "inner": {"x": 1}, "rows": [{"y": 1}, {"y": 2}], "table": {"p": "P", "q": "Q"}})";
  CHECK(error_of(text, [](const JsonObject& root) {
          CHECK(root.get<double>("n") == 2.5);
          CHECK(root.get<std::int64_t>("i") == -3);
          CHECK(root.get<double>("i") == -3);
          CHECK(root.get<bool>("on"));
          CHECK(root.get<std::string>("s") == "text");
          CHECK(root.get<std::vector<double>>("list") == std::vector<double>{1, 2.5});
          CHECK(root.get<std::vector<std::string>>("names") == std::vector<std::string>{"a", "b"});
          CHECK(root.get<JsonObject>("inner").number("x", 0, 1) == 1);
          const auto rows = root.get<std::vector<JsonObject>>("rows");
          REQUIRE(rows.size() == 2);
          CHECK(rows[1].get<std::int64_t>("y") == 2);
          CHECK(rows[0].find<std::int64_t>("y") == 1);
          const auto table = root.get<JsonObject>("table");
          CHECK(table.keys() == std::vector<std::string>{"p", "q"});
          for (const auto& key : table.keys()) CHECK(table.get<std::string>(key).size() == 1);
          CHECK_FALSE(root.find<double>("absent"));
        }).empty());
}

TEST_CASE("keys that are unknown, missing or given twice are errors with their path") {
  CHECK_THAT(error_of(R"({"a": 1})", kNothing), Equals("f.json: key 'a': unknown key"));
  CHECK_THAT(error_of(R"({"a": {"b": 1}})", [](const JsonObject& root) { (void)root.get<JsonObject>("a"); }),
             Equals("f.json: key 'a.b': unknown key"));
  CHECK_THAT(error_of(R"({"a": [{"b": 1}, {"b": 1, "c": 2}]})",
                      [](const JsonObject& root) {
                        for (const auto& row : root.get<std::vector<JsonObject>>("a")) CHECK(row.has("b"));
                        (void)root.get<std::vector<JsonObject>>("a").at(0).get<double>("b");
                        (void)root.get<std::vector<JsonObject>>("a").at(1).get<double>("b");
                      }),
             Equals("f.json: key 'a[1].c': unknown key"));
  CHECK_THAT(error_of("{}", [](const JsonObject& root) { (void)root.get<double>("a"); }),
             Equals("f.json: key 'a': missing"));
  CHECK_THAT(error_of(R"({"a": {"b": 1, "b": 1}})", kNothing), Equals("f.json: key 'a.b': given twice"));
  CHECK_THAT(error_of(R"({"a": [{"b": 1}, {"b": 1}], "a": 2})", kNothing),
             Equals("f.json: key 'a': given twice"));
}

TEST_CASE("wrong types and numbers are errors with their path") {
  const auto number = [](const JsonObject& root) { (void)root.get<double>("a"); };
  const auto whole = [](const JsonObject& root) { (void)root.get<std::int64_t>("a"); };
  CHECK_THAT(error_of(R"({"a": "1"})", number), Equals("f.json: key 'a': must be a number, not text"));
  CHECK_THAT(error_of(R"({"a": null})", number), Equals("f.json: key 'a': must be a number, not null"));
  CHECK_THAT(error_of(R"({"a": 1.5})", whole),
             Equals("f.json: key 'a': must be a whole number, not a number"));
  CHECK_THAT(error_of(R"({"a": 18446744073709551615})", whole),
             Equals("f.json: key 'a': does not fit into 64 bits"));
  CHECK_THAT(error_of(R"({"a": 1e999})", number), StartsWith("f.json: key 'a': number overflow"));
  CHECK_THAT(error_of(R"({"a": [1, "x"]})",
                      [](const JsonObject& root) { (void)root.get<std::vector<double>>("a"); }),
             Equals("f.json: key 'a[1]': must be a number, not text"));
  CHECK_THAT(error_of(R"({"a": 1})", [](const JsonObject& root) { (void)root.get<JsonObject>("a"); }),
             Equals("f.json: key 'a': must be an object, not a whole number"));
  CHECK_THAT(error_of(R"({"a": 5})", [](const JsonObject& root) { (void)root.number("a", 6, 7); }),
             Equals("f.json: key 'a': 5 is not within 6 to 7"));
  CHECK_THAT(error_of("[]", kNothing), Equals("f.json: must be an object, not a list"));
}

TEST_CASE("text that is not JSON is an error with its line") {
  CHECK_THAT(error_of("{\"a\": 1,\n\"b\": }", kNothing),
             StartsWith("f.json: line 2, column 6: syntax error"));
  CHECK_THAT(error_of("", kNothing), StartsWith("f.json: line 1"));
  CHECK_THAT(error_of("{\"a\": NaN}", kNothing), StartsWith("f.json: line 1"));
  CHECK_THAT(error_of("{} x", kNothing), StartsWith("f.json: line 1"));
  CHECK_THAT(error_of("{\"a\": \"\xff\"}", kNothing), StartsWith("f.json: line 1"));
  CHECK(error_of("{\"" + std::string(10000, 'x'), kNothing).size() < 300);
  CHECK_THAT(error_of(std::string(100000, '['), kNothing), Equals("f.json: nested deeper than 64 levels"));
}

TEST_CASE("an error that the body throws gets the file's name") {
  CHECK_THAT(error_of(R"({"a": 1})", [](const JsonObject& root) { throw root.error("a", "is odd"); }),
             Equals("f.json: key 'a': is odd"));
}

TEST_CASE("members of a file can be peeked at") {
  constexpr std::array<std::string_view, 2> kKeys{"a", "b"};
  CHECK(peek_members(R"({"x": {"a": 1}, "a": [1, {"b": 2}], "b": "t", "b": 3, not JSON)", kKeys) ==
        Json({{"a", {1, {{"b", 2}}}}, {"b", "t"}}));
  CHECK(peek_members(R"({"b": {"c": 1}})", kKeys) == Json({{"b", {{"c", 1}}}}));
  CHECK(peek_members(R"(["a", "b"])", kKeys).empty());
  CHECK(peek_members("", kKeys).empty());
  CHECK(peek_members("{\"a\": " + std::string(100000, '['), kKeys).empty());
}

TEST_CASE("files that are not there, folders and endless files are errors") {
  const auto folder = std::filesystem::temp_directory_path();
  CHECK_THROWS_WITH(read_small_file(folder / "layersim-no-such-file.json"),
                    Catch::Matchers::Contains("layersim-no-such-file.json: no such file"));
  CHECK_THROWS_WITH(read_small_file(folder), Catch::Matchers::EndsWith(": is a folder"));
  CHECK_THROWS_WITH(read_small_file("/dev/zero"), Equals("/dev/zero: larger than 64 MiB"));
}
