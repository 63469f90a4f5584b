#include <catch2/catch.hpp>

#include "sim/cli/file_use.h"
#include "sim/core/error.h"
#include "tests/cli/program.h"

using namespace layersim;
using namespace layersim::tests;

namespace {

constexpr const char* kNetwork = R"(network small opset 17
input x f32 [N, 4]
y = Relu(x) name "relu"
output y
)";

void check_refused(const std::vector<NamedFile>& files, const std::string& part) {
  CHECK_THROWS_WITH(check_no_overwriting(files), Catch::Contains(part));
}

// Nothing is written and the input is as it was.
void check_kept(const std::string& input, const std::vector<std::string>& arguments,
                const std::string& part) {
  const std::string before = read_text(input);
  INFO(arguments.front() << ' ' << part);
  check_complaint(arguments, 2, part);
  CHECK(read_text(input) == before);
}

}  // namespace

TEST_CASE("files are told apart by what they are, not by their names") {
  const TemporaryFolder folder;
  const std::string file = folder.file("rows.csv");
  write_file(file, "a\n");
  std::filesystem::create_symlink("rows.csv", folder.file("link.csv"));
  std::filesystem::create_hard_link(file, folder.file("hard.csv"));
  std::filesystem::create_symlink("new.csv", folder.file("dangling.csv"));
  const std::string dotted = (folder.path() / "." / "rows.csv").string();

  for (const std::string& other : {file, folder.file("link.csv"), folder.file("hard.csv"), dotted}) {
    INFO(other);
    check_refused({{"", file, FileUse::read}, {"-o", other, FileUse::written}},
                  "-o '" + other + "' would be written over the argument '" + file + "'");
  }
  check_refused({{"-o", folder.file("new.csv"), FileUse::written},
                 {"--json", folder.file("dangling.csv"), FileUse::written}},
                "are the same file");
  check_refused({{"--csv", "-", FileUse::written}, {"--json", "-", FileUse::written}}, "one standard output");

  CHECK_NOTHROW(check_no_overwriting(
      std::vector<NamedFile>{{"--predictor", file, FileUse::replaceable}, {"-o", file, FileUse::written}}));
  CHECK_NOTHROW(check_no_overwriting(
      std::vector<NamedFile>{{"", file, FileUse::read}, {"--store", file, FileUse::read}}));
  CHECK_NOTHROW(check_no_overwriting(std::vector<NamedFile>{{"--json", "/dev/null", FileUse::written},
                                                            {"--csv", "/dev/null", FileUse::written}}));
  CHECK_NOTHROW(check_no_overwriting(std::vector<NamedFile>{{"", folder.file("vgg16"), FileUse::read},
                                                            {"-o", folder.file("vgg16"), FileUse::written}}));
}

TEST_CASE("no command writes over what it reads, or twice to one file") {
  const TemporaryFolder folder;
  const std::string net = folder.file("net.txt");
  write_file(net, kNetwork);
  const std::string table = folder.file("runs.csv");
  write_file(table, "network,gpu,batch,measured_ms\nnet.txt,t4,1,1\n");
  const std::string out = folder.file("out");

  for (const char* option : {"--json", "--csv", "--html", "--trace", "--annotate", "--features"})
    check_kept(net, {net, "--gpu", "t4", option, net}, std::string(option) + " '");
  check_kept(net, {net, "--gpu", "t4", "--html", out, "--trace", out}, "--html '");
  check_kept(net, {net, "--gpu", "t4", "--chakra", out, "--json", out + ".0.et"}, "--chakra '");
  check_kept(net, {"measure", net, "--layers", out, "-o", out}, "are the same file");
  for (const char* option : {"--json", "--csv", "--junit"})
    check_kept(table, {"validate", table, option, table}, std::string(option) + " '");
  check_kept(table, {"validate", table, "--json", out, "--junit", out}, "are the same file");
  check_kept(table, {"regression", "train", table, "-o", table}, "would be written over the argument");
  check_kept(table, {"hybrid", "train", table, "--store", net, "-o", net}, "--store '");
  check_kept(table, {"hybrid", "missing", table, "--store", net, "-o", net}, "--store '");
  check_kept(table, {"data", "import", table, "-o", table}, "would be written over the argument");
  check_kept(table, {"data", "import", table, "-o", out, "--json", out}, "are the same file");
  check_kept(table, {"data", "split", table, "-o", out, out}, "are the same file");
  check_kept(table, {"sample", "--device", "fake", "--problems", table, "-o", table}, "--problems '");
  check_kept(table, {"sample", "--device", "cpu", "-o", out, "--json", out + ".journal"}, "--json '");
  CHECK_FALSE(std::filesystem::exists(out));
}

TEST_CASE("evaluate's CSV on standard output leaves its JSON to a file") {
  const TemporaryFolder folder;
  const std::string table = folder.file("runs.csv");
  write_file(table,
             "network,gpu,stack,batch,measured_ms\nresnet18,t4,tf2.5,16,60\nresnet18,t4,tf2.5,32,110\n");
  const std::string json = folder.file("errors.json");
  const Outcome outcome = run_program({"regression", "evaluate", table, "--csv", "-", "--json", json});
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  CHECK(line_count(outcome.out) == 3);
  CHECK(Json::parse(read_text(json))["method"] == "regression");
}
