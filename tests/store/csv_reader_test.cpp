#include "sim/store/csv_reader.h"

#include <catch2/catch.hpp>

#include "sim/core/error.h"
#include "tests/store/temporary_folder.h"

namespace layersim {
namespace {

using Rows = std::vector<std::vector<std::string>>;

Rows read_all(const std::string& path) {
  CsvReader reader(path);
  Rows rows = {reader.header()};
  while (reader.next()) rows.emplace_back(reader.fields().begin(), reader.fields().end());
  return rows;
}

std::string failure(const std::string& bytes) {
  const tests::TemporaryFolder folder;
  try {
    read_all(folder.write("a.csv", bytes));
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::bad_input);
    return error.what();
  }
  return "no error";
}

TEST_CASE("CSV records follow RFC 4180") {
  const tests::TemporaryFolder folder;
  const auto rows = [&](const std::string& bytes) { return read_all(folder.write("a.csv", bytes)); };
  CHECK(rows("a,b\n1,2\n") == Rows{{"a", "b"}, {"1", "2"}});
  CHECK(rows("a,b\r\n1,2\r\n,\r\n") == Rows{{"a", "b"}, {"1", "2"}, {"", ""}});
  CHECK(rows("a,b\n1,2") == Rows{{"a", "b"}, {"1", "2"}});
  CHECK(rows("\xef\xbb\xbf"
             "a\n\"x\"\n") == Rows{{"a"}, {"x"}});
  CHECK(rows("a,b\n\"x,\"\"y\"\"\",\"\"\n") == Rows{{"a", "b"}, {"x,\"y\"", ""}});
  CHECK(rows("a,b\n\"x\r\ny\",\"\"\"\"\r\n3,4\n") == Rows{{"a", "b"}, {"x\r\ny", "\""}, {"3", "4"}});
  CHECK(rows("a,b\n\n1,2\n\n") == Rows{{"a", "b"}, {"1", "2"}});
  CHECK(rows("a\n\n1\n") == Rows{{"a"}, {""}, {"1"}});
}

TEST_CASE("Malformed CSV gives one line that names the line") {
  CHECK(failure("") == "is empty");
  CHECK(failure("a,b\n1\n") == "line 2: 1 fields, but the header has 2");
  CHECK(failure("a,b\n\"1\n\n\",2\n1,2,3\n") == "line 5: 3 fields, but the header has 2");
  CHECK(failure("a,b\n1,\"2\n") == "line 2: a quote is not closed");
  CHECK(failure("a,b\n1,\"2\"x\n") == "line 2: text follows a closing quote");
  CHECK(failure("a,b\n1,2\"3\n") == "line 2: a quote within a field that has none at its start");
  CHECK(failure("a,a\n") == "line 1: column 'a' is there twice");
  CHECK(failure("a,\n") == "line 1: '' is not the name of a column (letters, digits and '_')");
  CHECK(failure("../x\n") == "line 1: '../x' is not the name of a column (letters, digits and '_')");
  CHECK(failure("a\n\"" + std::string(5 << 20, 'x')) == "line 2: longer than 1 MiB (is a quote not closed?)");
  CHECK(failure(std::string(10000, ',')) == "line 1: more than 4096 fields");
  CHECK_THROWS_WITH(CsvReader("/nowhere/a.csv"), "cannot open: No such file or directory");
  CHECK_THROWS_WITH(CsvReader("/tmp"), "is a folder");
}

TEST_CASE("gzip files read like plain ones, members and all, and damage is noticed") {
  const tests::TemporaryFolder folder;
  std::string text = "a,b\n";
  for (int i = 0; i < 60000; ++i) text += std::to_string(i) + ",\"x" + std::to_string(i % 7) + "\"\n";
  const std::string plain = folder.write("a.csv", text);
  const std::string gzip = folder.write_gzip("a.csv.gz", text);
  const Rows rows = read_all(gzip);
  CHECK(rows.size() == 60001);
  CHECK(rows == read_all(plain));

  const std::string bytes = tests::read_file(gzip);
  const std::string second = tests::read_file(folder.write_gzip("b.csv.gz", "8,9\n"));
  CHECK(read_all(folder.write("two.csv.gz", bytes + second)).back() == std::vector<std::string>{"8", "9"});
  CHECK_THROWS_WITH(read_all(folder.write("cut.csv.gz", bytes.substr(0, bytes.size() / 2))),
                    "the gzip data ends too early");
  std::string flipped = bytes;
  flipped[bytes.size() / 2] = static_cast<char>(flipped[bytes.size() / 2] ^ 0x55);
  CHECK_THROWS_AS(read_all(folder.write("flipped.csv.gz", flipped)), Error);
}

TEST_CASE("A reader can be left before its end and names the file by its SHA-256") {
  const tests::TemporaryFolder folder;
  const std::string big = folder.write("big.csv", "a\n" + std::string(8 << 20, '\n'));
  { CsvReader reader(big); }
  CsvReader reader(folder.write("a.csv", "a\n1\n"));
  while (reader.next()) {
  }
  // printf 'a\n1\n' | sha256sum
  CHECK(reader.sha256() == "309b0e45a73d3fc5325e2b6ed0a01ef8b9cde6b05a5633c1f893f970d52bfddc");
}

}  // namespace
}  // namespace layersim
