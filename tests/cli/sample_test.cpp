#include <catch2/catch.hpp>
#include <cstdlib>

#include "sim/store/store_reader.h"
#include "tests/cli/program.h"

using namespace layersim;
using namespace layersim::tests;

namespace {

std::size_t rows_in(const std::string& store) {
  std::size_t rows = 0;
  const StoreReader reader(store);
  for (const StoredTable& table : reader.tables()) rows += table.rows;
  return rows;
}

}  // namespace

TEST_CASE("sample --list prints the same problems for the same seed, without a device") {
  const std::vector<std::string> list{"sample", "--list", "--n", "12", "--seed", "3"};
  const Outcome first = run_program(list);
  CHECK(first.exit_code == 0);
  CHECK(line_count(first.out) == 12);
  CHECK(run_program(list).out == first.out);
  CHECK(run_program({"sample", "--list", "--n", "12", "--seed", "4"}).out != first.out);
  const Json json = run_json({"sample", "--list", "--n", "3", "--sweep", "justus"});
  CHECK(json["problems"].size() == 3);
}

TEST_CASE("from sampled layers to a predicted network") {
  const TemporaryFolder folder;
  const std::string store = folder.file("bench.h5");
  const std::string predictor = folder.file("p.h5");
  const Json json = run_json(
      {"sample", "--device", "fake", "--gpu", "k80", "--kinds", "conv,dense", "--n", "800", "-o", store});
  CHECK(json["measured"] == 800);
  CHECK(json["gpu"] == "k80");
  CHECK(rows_in(store) == 800);
  REQUIRE(run_program({"train", store, "-o", predictor, "--trainer", "linear"}).exit_code == 0);
  const Json prediction = run_json({"predict", "vgg11", "--gpu", "k80", "--predictor", predictor, "--stack",
                                    "formula1.0", "--mode", "forward"});
  CHECK(prediction["batch_ms"].get<double>() > 0);
}

TEST_CASE("a list of problems is measured, and what is there is not repeated") {
  const TemporaryFolder folder;
  const std::string store = folder.file("bench.h5");
  const std::string problems = folder.file("missing.csv");
  write_file(problems,
             "mode,optimizer,batch,in_channels,out_channels,input_h,input_w,kernel_h,kernel_w,pad_h,pad_w\n"
             "forward,none,4,3,8,32,32,3,3,1,1\n"
             "training,sgd,4,3,8,32,32,3,3,1,1\n");
  const std::vector<std::string> sample{"sample",     "--device", "fake", "--gpu", "k80",
                                        "--problems", problems,   "-o",   store};
  CHECK(run_json(sample)["measured"] == 2);
  CHECK(run_json(sample)["measured"] == 0);
  const Table rows = StoreReader(store).read("conv");
  CHECK(rows.rows() == 2);
  CHECK(rows.text("mode", 1) == "training");
  CHECK(rows.numbers("pad_h")[0] == 1);
  CHECK(rows.numbers("time_ms")[1] > rows.numbers("time_ms")[0]);
}

TEST_CASE("sample refuses what makes no sense") {
  const TemporaryFolder folder;
  const std::string store = folder.file("bench.h5");
  check_complaint({"sample", "--device", "fake", "--n", "2", "-o", store}, 2, "name the device by --gpu");
  check_complaint({"sample", "--device", "fake", "--gpu", "k80"}, 2, "or --list");
  check_complaint({"sample", "--list", "--kinds", "sausage"}, 2, "has no entry of kind 'sausage'");
  check_complaint({"sample", "--list", "--sweep", "nowhere"}, 2,
                  "no sweep is named 'nowhere': there are default, ");
  check_complaint({"sample", "--list", "--time-budget", "1h", "--problems", folder.file("no.csv")}, 3,
                  "no.csv");
  check_complaint({"sample", "--device", "fake", "--gpu", "k80", "-o", store, "--time-budget", "soon"}, 2,
                  "not of the form 90s");
  check_complaint({"sample", "--device", "fake:colour=red", "--gpu", "k80", "-o", store}, 2, "colour=red");
  check_complaint({"sample", "--device", "fake:noise=3", "--gpu", "k80", "-o", store}, 1, "too noisy");
  CHECK_FALSE(std::filesystem::exists(store));
  CHECK(
      run_program({"sample", "--device", "fake:noise=3", "--gpu", "k80", "-o", store, "--force", "--n", "5"})
          .exit_code == 0);
}

TEST_CASE("two processes share one campaign") {
  if (std::system("command -v mpirun >/dev/null") != 0) {  // NOLINT: a fixed text
    std::puts("SKIPPED: there is no mpirun");
    return;
  }
  const TemporaryFolder folder;
  const std::string store = folder.file("bench.h5");
  const std::string command =
      "ASAN_OPTIONS=detect_leaks=0 mpirun --oversubscribe --allow-run-as-root -n 2 " LAYERSIM_PROGRAM
      " sample --device fake --gpu k80 --n 200 -o " +
      store + " >" + folder.file("out") + " 2>&1";
  const int status = std::system(command.c_str());  // NOLINT: of our own making
  const std::string out = read_text(folder.file("out"));
  if (out.find("without MPI") != std::string::npos) {
    std::puts("SKIPPED: built without MPI");
    return;
  }
  INFO(out);
  CHECK(status == 0);
  CHECK(out.find("measured 200 layers") != std::string::npos);
  CHECK(rows_in(store) == 200);
}

TEST_CASE("a store that is none is refused before anything lies beside it") {
  const TemporaryFolder folder;
  const std::string store = folder.file("bench.h5");
  write_file(store, "junk");
  check_complaint({"sample", "--device", "fake", "--gpu", "t4", "--n", "3", "-o", store}, 3,
                  store + ": is not a store");
  const std::filesystem::directory_iterator files(folder.path());
  CHECK(std::distance(begin(files), end(files)) == 1);
}

TEST_CASE("problems that are all skipped are no success, and tell why") {
  const TemporaryFolder folder;
  const std::string problems = folder.file("problems.csv");
  write_file(problems, "batch,in_features,out_features,mode\n1000000,1000000,1000000,forward\n");
  const Outcome outcome = run_program(
      {"sample", "--device", "fake", "--gpu", "t4", "--problems", problems, "-o", folder.file("bench.h5")});
  INFO(outcome.err);
  CHECK(outcome.exit_code == 4);
  CHECK_THAT(outcome.err,
             Catch::EndsWith("layersim: nothing was measured: all 1 problems were skipped, the last because "
                             "of: out of memory\n"));
  CHECK(line_count(outcome.err) == 2);
  check_complaint({"sample", "--list", "-o", folder.file("x.h5")}, 2, "leave out -o");
}
