#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "sim/cli/file_use.h"
#include "sim/cli/output.h"
#include "sim/core/error.h"
#include "sim/store/file_descriptor.h"
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

TEST_CASE("files that come along are not written over") {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "predictors");
  write_file(folder.file("k80.json"), "{}");
  write_file(folder.file("predictors/own.h5"), "x");
  REQUIRE(setenv("LAYERSIM_CONFIG_DIR", folder.path().c_str(), 1) == 0);
  check_refused({{"--json", folder.file("k80.json"), FileUse::written}}, "comes along with layersim");
  check_refused({{"--json", folder.file("predictors/own.h5"), FileUse::written}},
                "comes along with layersim");
  check_refused({{"-o", folder.file("predictors/own.h5"), FileUse::written, true}},
                "comes along with layersim");
  CHECK_NOTHROW(
      check_no_overwriting(std::vector<NamedFile>{{"--json", folder.file("new.json"), FileUse::written},
                                                  {"--gpu-file", folder.file("k80.json"), FileUse::read}}));
  REQUIRE(unsetenv("LAYERSIM_CONFIG_DIR") == 0);
}

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
  check_kept(table, {"calibrate", net, "--gpu", "t4", "--predictor", table, "-o", table},
             "which is read: it is the same file");
  const std::string shipped = std::string(LAYERSIM_SOURCE_DIR) + "/configs/predictors/layerwise.h5";
  REQUIRE(std::filesystem::exists(shipped));
  check_kept(table, {"calibrate", net, "--gpu", "t4", "-o", shipped},
             "would be written over a file that comes along");
  check_kept(table, {"train", "--layers-from", table, "--runs-from", net, "-o", table}, "--layers-from '");
  check_kept(table, {"data", "import", table, "-o", table}, "would be written over the argument");
  check_kept(table, {"data", "import", table, "-o", out, "--json", out}, "are the same file");
  check_kept(table, {"data", "split", table, "-o", out, out}, "are the same file");
  check_kept(table, {"sample", "--device", "fake", "--problems", table, "-o", table}, "--problems '");
  check_kept(table, {"sample", "--device", "cpu", "-o", out, "--json", out + ".journal"}, "--json '");
  CHECK_FALSE(std::filesystem::exists(out));
}

TEST_CASE("a device or a pipe is written to, or refused; it is never replaced") {
  const TemporaryFolder folder;
  const std::string net = folder.file("net.txt");
  write_file(net, kNetwork);
  const std::string pipe = folder.file("pipe");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  std::filesystem::create_symlink("pipe", folder.file("link"));
  const FileDescriptor reader(pipe, O_RDONLY | O_NONBLOCK);  // so that writers do not wait for one
  REQUIRE(reader.is_open());

  for (const std::string& target : {pipe, folder.file("link")}) {
    const std::string refusal = "-o " + target + ": is not a regular file";
    check_complaint({"zoo", "lenet5", "-o", target}, 2, refusal);
    check_complaint({"train", "rows.h5", "-o", target}, 2, refusal);
    check_complaint({"calibrate", "rows.csv", "--gpu", "t4", "-o", target}, 2, refusal);
    check_complaint({"regression", "train", "runs.csv", "-o", target}, 2, refusal);
    check_complaint({"transfer", "train", "runs.csv", "-o", target}, 2, refusal);
    check_complaint({"hybrid", "train", "runs.csv", "-o", target}, 2, "pipe: is not a regular file");
    check_complaint({"telemetry", "train", "runs.csv", "-o", target}, 2, refusal);
    check_complaint({"sample", "--device", "fake", "--gpu", "t4", "--n", "1", "-o", target}, 2, refusal);
    check_complaint({net, "--gpu", "t4", "--annotate", target}, 2, "--annotate " + target + ": is not");
    check_complaint({"data", "import", net, "-o", target}, 2, "pipe: is not a regular file");
    CHECK_THROWS_WITH(PendingFile(target), Catch::EndsWith("pipe: is not a regular file"));
    CHECK(std::filesystem::is_fifo(target));
  }
  for (const std::vector<std::string>& text : std::vector<std::vector<std::string>>{
           {"compare", net, "--gpus", "t4", "--csv", pipe}, {net, "--gpu", "t4", "--csv", pipe}}) {
    CHECK(run_program(text).exit_code == 0);
    std::string written(1 << 16, '\0');
    CHECK(::read(reader.get(), written.data(), written.size()) > 0);
    CHECK(std::filesystem::is_fifo(pipe));
  }
}

TEST_CASE("a pipe that nobody reads is refused at once") {
  const TemporaryFolder folder;
  const std::string net = folder.file("net.txt");
  write_file(net, kNetwork);
  const std::string store = folder.file("rows.h5");
  REQUIRE(
      run_program({"sample", "--device", "fake", "--gpu", "t4", "--kinds", "conv", "--n", "1", "-o", store})
          .exit_code == 0);
  const std::string pipe = folder.file("pipe");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const std::string refusal = pipe + ": cannot be written: it is a pipe that nobody reads";
  check_complaint({"compare", net, "--gpus", "t4", "--csv", pipe}, 2, refusal);
  check_complaint({net, "--gpu", "t4", "--csv", pipe}, 2, refusal);
  check_complaint({"data", "export", store, "--kind", "conv", "-o", pipe}, 2, refusal);
  CHECK(std::filesystem::is_fifo(pipe));
}

TEST_CASE("a folder is refused as an output before any work") {
  const TemporaryFolder folder;
  check_complaint({"train", "rows.h5", "-o", folder.path().string()}, 2, "is not a regular file");
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
