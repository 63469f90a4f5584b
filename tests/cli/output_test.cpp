#include <catch2/catch.hpp>
#include <filesystem>

#include "sim/core/json.h"
#include "tests/cli/program.h"
#include "tests/cli/small_network.h"

using namespace layersim;
using namespace layersim::tests;

TEST_CASE("files are written whole, beside the table") {
  const TemporaryFolder folder;
  write_file(folder.file("small.txt"), kSmallNetwork);
  write_file(folder.file("out.json"), "old");
  const Outcome outcome = run_program({folder.file("small.txt"), "--gpu", "k80", "--json",
                                       folder.file("out.json"), "--csv", folder.file("out.csv")});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.out.find("coverage") != std::string::npos);
  CHECK(Json::parse(read_text(folder.file("out.json")))["gpu"] == "k80");
  CHECK(read_text(folder.file("out.csv")).starts_with("index,name,"));
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path())) ++files;
  CHECK(files == 3);
  check_complaint({folder.file("small.txt"), "--gpu", "k80", "--json", folder.file("no/such/folder.json")}, 2,
                  "cannot be written");
  check_complaint({folder.file("small.txt"), "--gpu", "k80", "--json", "-", "--csv", "-"}, 2,
                  "exclude each other");
}

TEST_CASE("a full disk is an error, not silence") {
  const Outcome outcome = run_program({"--help"}, "/dev/full");
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.err.find("standard output: cannot be written") != std::string::npos);
}
