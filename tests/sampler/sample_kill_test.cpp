// Children sample and are killed; what they had reported must be there, once, when the next one goes on.
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "sampler/sample_store.h"
#include "sim/core/error.h"
#include "sim/store/store_reader.h"
#include "tests/store/temporary_folder.h"

namespace layersim {
namespace {

const CampaignFacts kFacts{.id = "c", .gpu = "k80", .stack = "s1", .settings = R"({"campaign": "c"})"};

SampleRow row_of(std::uint64_t index) {
  return {.index = index,
          .table = "dense",
          .fields = {{"gpu", "k80"},
                     {"mode", "forward"},
                     {"batch", 1.0},
                     {"in_features", static_cast<double>(index)},
                     {"out_features", 2.0},
                     {"time_ms", 0.25}}};
}

std::uint64_t first_open(const IndexSet& done) {
  std::uint64_t index = 0;
  while (done.contains(index)) ++index;
  return index;
}

// Adds row after row, saving every few, and reports each that is kept; does not come back.
[[noreturn]] void sample_for_ever(const std::string& path, int report) {
  try {
    SampleStore store(path, kFacts);
    for (std::uint64_t index = first_open(store.done());; ++index) {
      store.add(row_of(index));
      if (write(report, &index, sizeof index) != sizeof index) _exit(1);
      if (index % 7 == 6) store.save();
    }
  } catch (const Error&) {
    _exit(2);
  }
}

// Numbers of the rows in the store and its journal; fails where one is there twice.
std::set<std::uint64_t> kept_in(const std::string& path) {
  SampleStore(path, kFacts).finish();
  std::set<std::uint64_t> kept;
  if (!std::filesystem::exists(path)) return kept;
  const Table table = StoreReader(path).read("dense");
  for (const double index : table.numbers("in_features")) {
    CHECK(kept.insert(static_cast<std::uint64_t>(index)).second);
  }
  return kept;
}

// Runs `prepare` and samples in a child; `reports`: so many are read before it is killed. Returns the numbers
// that it reported.
template <typename Prepare>
std::set<std::uint64_t> sample_and_die(const std::string& path, int reports, Prepare&& prepare) {
  int ends[2] = {};
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    prepare();
    sample_for_ever(path, ends[1]);
  }
  close(ends[1]);
  std::set<std::uint64_t> reported;
  std::uint64_t index = 0;
  while (reports-- > 0 && read(ends[0], &index, sizeof index) == sizeof index) reported.insert(index);
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  while (read(ends[0], &index, sizeof index) == sizeof index) reported.insert(index);
  close(ends[0]);
  return reported;
}

void check_kept(const std::set<std::uint64_t>& reported, const std::set<std::uint64_t>& kept) {
  for (const std::uint64_t index : reported) CHECK(kept.count(index) == 1);
}

TEST_CASE("a sampler killed at any moment loses nothing that it reported") {
  constexpr int kKills = 20;
  const tests::TemporaryFolder folder;
  const std::string path = folder.file("b.h5");
  std::mt19937 random(5);
  std::set<std::uint64_t> reported;
  for (int i = 0; i < kKills; ++i) {
    reported.merge(sample_and_die(path, static_cast<int>(random() % 25), [] {}));
    if (i % 2 == 0) continue;  // two kills in a row, too: the second one meets a journal
    const auto kept = kept_in(path);
    check_kept(reported, kept);
    // At most the row in flight of each child was kept without having been reported.
    CHECK(kept.size() <= reported.size() + static_cast<std::size_t>(i) + 1);
  }
  CHECK(reported.size() > 50);
}

TEST_CASE("a sampler killed within a write loses nothing that it reported") {
  std::set<int> deaths;
  for (rlim_t bytes = 20; bytes < 20000; bytes += bytes < 1000 ? 83 : 5000) {
    INFO("killed at byte " << bytes << " of a file");
    const tests::TemporaryFolder folder;
    const std::string path = folder.file("b.h5");
    // The system ends a process that writes beyond the limit, in the midst of the write.
    const auto reported = sample_and_die(path, 20, [&] {
      const rlimit limit{bytes, bytes};
      setrlimit(RLIMIT_FSIZE, &limit);
      signal(SIGXFSZ, SIG_DFL);
    });
    deaths.insert(static_cast<int>(reported.size()));
    check_kept(reported, kept_in(path));
  }
  CHECK(deaths.size() > 4);  // in writes of the header, of rows, and of stores
}

TEST_CASE("a journal whose rows are in the store already is not taken in twice") {
  const tests::TemporaryFolder folder;
  const std::string path = folder.file("b.h5");
  {
    SampleStore store(path, kFacts);
    for (std::uint64_t index = 0; index < 3; ++index) store.add(row_of(index));
  }
  const std::string journal = tests::read_file(path + ".journal");
  CHECK(kept_in(path) == std::set<std::uint64_t>{0, 1, 2});
  static_cast<void>(folder.write("b.h5.journal", journal));
  CHECK(kept_in(path) == std::set<std::uint64_t>{0, 1, 2});
}

TEST_CASE("a file that is no journal is refused, and two samplers do not meet") {
  const tests::TemporaryFolder folder;
  const std::string path = folder.file("b.h5");
  const std::string journal = folder.write("b.h5.journal", "hello\n");
  CHECK_THROWS_WITH(SampleStore(path, kFacts), journal + ": line 1: is no journal of this program");
  static_cast<void>(folder.write("b.h5.journal", "layersim-journal-1 {}\nrubbish\n"));
  CHECK_THROWS_WITH(SampleStore(path, kFacts), Catch::StartsWith(journal + ": line 2: a measured row"));
  static_cast<void>(folder.write("b.h5.journal", ""));
  const SampleStore store(path, kFacts);
  CHECK_THROWS_WITH(SampleStore(path, kFacts), Catch::Contains("is being written by another process"));
}

}  // namespace
}  // namespace layersim
