#include <catch2/catch.hpp>

#include "tests/cli/program.h"
#include "tests/cli/small_network.h"

using namespace layersim;
using namespace layersim::tests;

TEST_CASE("wrong use is told in one line with exit code 2") {
  const TemporaryFolder folder;
  const std::string file = folder.file("small.txt");
  write_file(file, kSmallNetwork);
  check_complaint({}, 2, "no network");
  check_complaint({file}, 2, "no device");
  check_complaint({"--gpu", "k80"}, 2, "no network");
  check_complaint({file, "--gpu", "k81"}, 2, "k80");
  check_complaint({"vgg61", "--gpu", "k80"}, 2, "vgg16");
  check_complaint({file, "--gpu", "k80", "--batch", "0"}, 2,
                  "--batch takes a whole number of at least 1, not '0'");
  check_complaint({file, "--gpu", "k80", "--batch", "-3"}, 2, "--batch");
  check_complaint({file, "--gpu", "k80", "--batch=-3"}, 2, "not '-3'");
  check_complaint({file, "--gpu", "k80", "--batch", "x"}, 2, "not 'x'");
  check_complaint({file, "--gpu", "k80", "--batch", "3.5"}, 2, "not '3.5'");
  check_complaint({file, "--gpu", "k80", "--batch", "99999999999999999999"}, 2, "--batch");
  for (const char* option : {"--batch", "--stack", "--html", "--freeze"})
    check_complaint({file, "--gpu", "k80", option, ""}, 2, std::string(option) + ": its value is empty");
  check_complaint({file, "--gpu", "k80", "--batch"}, 2, "--batch");
  check_complaint({file, "--gpu", "k80", "--batch", "1", "--batch", "2"}, 2, "--batch");
  check_complaint({file, "--gpu", "k80", "--batchh", "1"}, 2, "--batch");
  check_complaint({file, "--gpu", "k80", "--bat", "1"}, 2, "--batch");
  check_complaint({file, "other", "--gpu", "k80"}, 2, "one argument too many: 'other'");
  check_complaint({file, "--gpu", "k80", "--mode", "train"}, 2, "forward or training");
  check_complaint({file, "--gpu", "k80", "--optimizer", "lion"}, 2, "sgd");
  check_complaint({file, "--gpu", "k80", "--precision", "int8"}, 2, "int8");
  check_complaint({file, "--gpu", "k80", "--method", "magic"}, 2, "roofline");
  check_complaint({file, "--gpu", "k80", "--dim", "N"}, 2, "--dim takes NAME=VALUE");
  check_complaint({file, "--gpu", "k80", "--dim", "N=2", "--dim", "N=3"}, 2, "--dim N is given twice");
  check_complaint({file, "--gpu", "k80", "--input", "1x-3"}, 2, "--input");
  check_complaint({file, "--gpu", "k80", "--gpu-file", "x.json"}, 2, "exclude");
  check_complaint({"gpus", "show"}, 2, "one device");
  check_complaint({"gpus", "k80"}, 2, "show NAME");
  check_complaint({"zoo", "vgg61"}, 2, "vgg16");
}

TEST_CASE("files that are no networks are told in one line with exit code 3") {
  const TemporaryFolder folder;
  write_file(folder.file("noise.onnx"), std::string("\x08\xff\xff\xff\xff\xff not a network", 20));
  write_file(folder.file("empty.onnx"), "");
  check_complaint({folder.file("noise.onnx"), "--gpu", "k80"}, 3, "noise.onnx");
  check_complaint({folder.file("empty.onnx"), "--gpu", "k80"}, 3, "empty.onnx");
  check_complaint({folder.file("missing.onnx"), "--gpu", "k80"}, 3, "no such file");
  check_complaint({folder.path().string(), "--gpu", "k80"}, 3, "folder");
  check_complaint({"vgg16", "--gpu-file", folder.file("noise.onnx")}, 3, "noise.onnx");
}

TEST_CASE("every command has help with an example, and the program a version") {
  const Outcome help = run_program({"--help"});
  CHECK(help.exit_code == 0);
  for (const char* command : {"predict", "show", "gpus", "zoo", "train", "evaluate", "data"}) {
    INFO(command);
    CHECK(help.out.find(command) != std::string::npos);
    const Outcome own = run_program({command, "--help"});
    CHECK(own.exit_code == 0);
    CHECK(own.out.find("example: layersim " + std::string(command)) != std::string::npos);
    CHECK(own.err.empty());
  }
  const Outcome version = run_program({"--version"});
  CHECK(version.out.starts_with("layersim "));
  CHECK(line_count(version.out) == 1);
}

TEST_CASE("the list of commands has a space behind each name") {
  const Outcome outcome = run_program({"--help"});
  CHECK(outcome.out.find("  interconnects what joins") != std::string::npos);
}

TEST_CASE("a message names a file once, by the user's name for it") {
  const TemporaryFolder folder;
  const std::string none = folder.file("none.csv");
  const std::string garbage = folder.file("garbage.onnx");
  write_file(garbage, "garbage");
  check_complaint({"train", none, "-o", folder.file("p.h5")}, 3, "layersim: " + none + ": cannot open");
  check_complaint({"calibrate", none, "--gpu", "t4", "-o", folder.file("p.h5")}, 3,
                  "layersim: " + none + ": cannot open");
  check_complaint({"compare", garbage, "--gpus", "t4"}, 3, "layersim: " + garbage + ": neither");
  check_complaint({"compare", "nosuch", "--gpus", "t4"}, 2, "layersim: 'nosuch' is neither");
  check_complaint({"hybrid", "train", "nosuch", "--store", none, "-o", folder.file("p.h5")}, 2,
                  "takes a table of measured runs (.csv or .csv.gz), not 'nosuch'");
  const std::string unwritable = folder.file("no/file");
  for (const char* option : {"--annotate", "--html", "--json", "--trace"}) {
    check_complaint({"lenet5", "--gpu", "t4", option, unwritable}, 2,
                    "layersim: " + unwritable + ": cannot be written: No such file");
  }
  check_complaint({"zoo", "lenet5", "-o", unwritable}, 2, unwritable + ": cannot be written");
  check_complaint({"compare", "lenet5", "--gpus", "t4", "--svg", garbage}, 2,
                  "cannot be written: Not a directory");
  const std::string runs = folder.file("runs.csv");
  write_file(runs, "network,gpu,batch,measured_ms\ngarbage.onnx,t4,1,1\n");
  check_complaint({"validate", runs}, 3, runs + ": line 2: garbage.onnx: neither");
  check_complaint({"zzzzzzzzzz", "--gpu", "t4"}, 2,
                  "'zzzzzzzzzz' is neither a command, a file nor a network of the zoo (layersim --help)");
}
