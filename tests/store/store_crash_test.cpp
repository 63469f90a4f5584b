// Children write a store and are killed, or find the disk full; what they had reported as written must be
// there.
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <random>
#include <thread>

#include "sim/core/error.h"
#include "sim/store/store_import.h"
#include "sim/store/store_lock.h"
#include "sim/store/store_reader.h"
#include "tests/store/temporary_folder.h"

namespace layersim {
namespace {

std::string rows_of_import(int number, int rows) {
  std::string text = "gpu,mode,m,n,k,time_ms\n";
  for (int i = 0; i < rows; ++i) {
    text += "k80,forward," + std::to_string(number + 1) + "," + std::to_string(i + 1) + ",3," +
            std::to_string((i + 1) * 0.37) + "\n";
  }
  return text;
}

TEST_CASE("A writer killed at any moment leaves all that it had reported") {
  constexpr int kKills = 25;
  constexpr int kRows = 40;
  const tests::TemporaryFolder folder;
  const std::string store = folder.file("bench.h5");
  std::mt19937 random(11);
  int next = 0;
  std::int64_t import_us = 20000;
  for (int kill_number = 0; kill_number < kKills; ++kill_number) {
    int pipe_ends[2] = {};
    REQUIRE(pipe(pipe_ends) == 0);
    const pid_t child = fork();
    if (child == 0) {
      for (int i = next;; ++i) {
        Warnings warnings;
        import_files({folder.write("part.csv", rows_of_import(i, kRows))}, store, warnings);
        if (write(pipe_ends[1], &i, sizeof i) != sizeof i) _exit(1);
      }
    }
    close(pipe_ends[1]);
    // After none, one or two imports, within the time that the next one takes.
    int reported = 0;
    auto last = std::chrono::steady_clock::now();
    for (unsigned wait = random() % 3; wait > 0; --wait) {
      REQUIRE(read(pipe_ends[0], &reported, sizeof reported) == sizeof reported);
      next = reported + 1;
      const auto now = std::chrono::steady_clock::now();
      import_us = std::chrono::duration_cast<std::chrono::microseconds>(now - last).count();
      last = now;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(random() % (import_us + import_us / 2)));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    REQUIRE(WIFSIGNALED(status));
    while (read(pipe_ends[0], &reported, sizeof reported) == sizeof reported) next = reported + 1;
    close(pipe_ends[0]);

    int found = 0;
    if (std::filesystem::exists(store)) {
      const Table table = StoreReader(store).read("gemm");
      REQUIRE(table.rows() % kRows == 0);
      found = static_cast<int>(table.rows()) / kRows;
      for (std::size_t row = 0; row < table.rows(); ++row) {
        REQUIRE(table.numbers("m")[row] == static_cast<double>(row / kRows + 1));
        REQUIRE(table.numbers("n")[row] == static_cast<double>(row % kRows + 1));
      }
    }
    // The last one may have been written without having been reported.
    CHECK((found == next || found == next + 1));
    next = found;
  }
  CHECK(next > 0);
}

// Runs the body in a child that may not write files beyond `bytes`; returns its exit code.
template <typename Body>
int run_with_file_limit(rlim_t bytes, Body&& body) {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{bytes, bytes};
    setrlimit(RLIMIT_FSIZE, &limit);
    int code = 0;
    try {
      body();
    } catch (const Error& error) {
      code = error.exit_code();
    }
    _exit(code);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

TEST_CASE("A full disk is an error and leaves the old store") {
  const tests::TemporaryFolder folder;
  const std::string store = folder.file("bench.h5");
  Warnings warnings;
  import_files({folder.write("a.csv", rows_of_import(0, 10000))}, store, warnings);
  const std::string before = tests::read_file(store);
  const std::string more = folder.write("b.csv", rows_of_import(1, 10000));
  for (rlim_t limit = 0; limit < before.size() * 3 / 2; limit += before.size() / 8 + 1) {
    INFO("limit " << limit);
    const int code = run_with_file_limit(limit, [&] { import_files({more}, store, warnings); });
    CHECK(code == 2);
    REQUIRE(tests::read_file(store) == before);
  }
  CHECK(run_with_file_limit(before.size() * 3, [&] { import_files({more}, store, warnings); }) == 0);
  CHECK(StoreReader(store).read("gemm").rows() == 20000);
}

TEST_CASE("Two writers do not meet; what a killed one left is no hindrance") {
  const tests::TemporaryFolder folder;
  const std::string store = folder.file("bench.h5");
  const std::string csv = folder.write("a.csv", rows_of_import(0, 10));
  Warnings warnings;
  {
    const StoreLock lock(store);
    CHECK_THROWS_WITH(import_files({csv}, store, warnings), store + ": is being written by another process");
  }
  static_cast<void>(folder.write("bench.h5.lock", ""));
  static_cast<void>(folder.write("bench.h5.partial", "left behind"));
  import_files({csv}, store, warnings);
  CHECK(StoreReader(store).read("gemm").rows() == 10);
  CHECK_FALSE(std::filesystem::exists(store + ".partial"));
}

TEST_CASE("A folder that cannot be written is named with the reason") {
  const tests::TemporaryFolder folder;
  const std::string csv = folder.write("a.csv", rows_of_import(0, 10));
  Warnings warnings;
  CHECK_THROWS_WITH(import_files({csv}, "/nowhere/bench.h5", warnings),
                    "/nowhere/bench.h5: cannot be written: No such file or directory");
  CHECK_THROWS_WITH(import_files({csv}, "/proc/bench.h5", warnings),
                    Catch::StartsWith("/proc/bench.h5: cannot be written: "));
}

TEST_CASE("A store behind a symbolic link is replaced where it lies") {
  const tests::TemporaryFolder folder;
  const std::string store = folder.file("bench.h5");
  const std::string link = folder.file("link.h5");
  Warnings warnings;
  import_files({folder.write("a.csv", rows_of_import(0, 10))}, store, warnings);
  std::filesystem::create_symlink(store, link);
  import_files({folder.write("b.csv", rows_of_import(1, 10))}, link, warnings);
  CHECK(std::filesystem::is_symlink(link));
  CHECK(StoreReader(store).read("gemm").rows() == 20);
}

}  // namespace
}  // namespace layersim
