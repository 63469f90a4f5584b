#include "sim/cli/output.h"

#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>

#include "sim/core/error.h"
#include "sim/core/json.h"
#include "tests/cli/program.h"
#include "tests/cli/small_network.h"

using namespace layersim;
using namespace layersim::tests;

namespace {

// While it lives, no file grows above so many bytes, as on a full disk; for the programs started as well.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit limit{bytes, old_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileLimit() {
    setrlimit(RLIMIT_FSIZE, &old_);
    static_cast<void>(std::signal(SIGXFSZ, handler_));
  }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;

 private:
  void (*handler_)(int);
  rlimit old_{};
};

}  // namespace

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

TEST_CASE("an output that does not fit is told by its own name, and nothing of it stays") {
  const TemporaryFolder folder;
  const std::string out = folder.file("out");
  const std::string csv = folder.file("rows.csv");
  const std::string network = folder.file("lenet5.onnx");
  write_file(csv, "gpu,mode,m,n,k,time_ms\nk80,forward,1,2,3,0.5\n");
  REQUIRE(run_program({"zoo", "lenet5", "-o", network}).exit_code == 0);
  const FileLimit limit(512);
  const std::string why = "layersim: " + out + ": cannot be written: File too large";
  check_complaint({"zoo", "lenet5", "-o", out}, 2, why);
  check_complaint({"lenet5", "--gpu", "t4", "--annotate", out}, 2, why);
  check_complaint({network, "--gpu", "t4", "--annotate", out}, 2, why);
  check_complaint({"lenet5", "--gpu", "t4", "--json", out}, 2, why);
  check_complaint({"compare", "lenet5", "--gpus", "t4", "--html", out}, 2, why);
  check_complaint({"data", "import", csv, "-o", out}, 2, why);
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path())) ++files;
  CHECK(files == 2);
}

TEST_CASE("what a writer says of a pending file is told by the target's name") {
  const TemporaryFolder folder;
  const std::string target = folder.file("target");
  const PendingFile pending(target);
  CHECK(pending.path() != PendingFile(target).path());
  const auto fail = [](const std::string& message) {
    return [message](const std::filesystem::path&) { throw bad_use(message); };
  };
  CHECK_THROWS_WITH(pending.fill(fail(pending.path().string() + ": full")), target + ": full");
  CHECK_THROWS_WITH(pending.fill(fail("no opset")), "no opset");
}
