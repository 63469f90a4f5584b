// What the user asked for cannot be: one line says why, and nothing else is written.

#include <catch2/catch.hpp>

#include "sim/core/config_dir.h"
#include "tests/cli/program.h"

using namespace layersim;
using namespace layersim::tests;

namespace {

// Writes the file of a known device to `file`, with `to` instead of the first `from`.
void write_changed_device(const std::string& file, const std::string& key, const std::string& from,
                          const std::string& to) {
  std::string text = read_text((config_dir() / "gpus" / (key + ".json")).string());
  text.replace(text.find(from), from.size(), to);
  write_file(file, text);
}

}  // namespace

TEST_CASE("a precision that the device lacks is refused") {
  check_complaint(
      {"lenet5", "--gpu", "v100-sxm2", "--precision", "bf16"}, 2,
      "--precision: v100-sxm2 has no bf16 by the facts of its file; it has fp64, fp32, fp16, mixed, int8");
  check_complaint({"lenet5", "--gpu", "a100-sxm4-40gb", "--precision", "fp8"}, 2, "has no fp8");
  check_complaint({"lenet5", "--gpu", "k80", "--precision", "mixed"}, 2, "it has fp64, fp32, fp16");
  check_complaint({"scale", "lenet5", "--gpu", "t4", "--precision", "tf32"}, 2, "t4 has no tf32");
  check_complaint(
      {"compare", "lenet5", "--gpus", "a100-sxm4-40gb,t4", "--precision", "tf32"}, 2,
      "--precision: t4 has no tf32 by the facts of its file; it has fp64, fp32, fp16, mixed, int8; of "
      "several GPUs, 'all,tf32>=1' takes those that have it");
  CHECK(run_program({"compare", "lenet5", "--gpus", "all,tf32>=100", "--precision", "tf32"}).exit_code == 0);
  CHECK(run_program({"lenet5", "--gpu", "k80", "--precision", "fp16"}).exit_code == 0);

  const TemporaryFolder folder;
  const std::string device = folder.file("my.json");
  write_changed_device(device, "v100-sxm2", "v100-sxm2", "my-v100");
  check_complaint({"lenet5", "--gpu-file", device, "--precision", "bf16"}, 2, "my-v100 has no bf16");

  const std::string runs = folder.file("runs.csv");
  write_file(runs, "network,precision,gpu,batch,measured_ms\nlenet5,fp16,t4,1,1\nlenet5,bf16,t4,1,1\n");
  check_complaint({"validate", runs}, 3, "line 3: column 'precision': t4 has no bf16");
}

TEST_CASE("a changed device is predicted in a precision that --set gave it") {
  const Outcome changed =
      run_program({"lenet5", "--gpu", "t4", "--precision", "fp8", "--set", "peak_fp8_tensor_gflops=130000"});
  CHECK(changed.exit_code == 0);
  CHECK_THAT(changed.out + changed.err, Catch::Contains("t4 has no fp8: there is no time of it as it is"));
  const Outcome compared = run_program(
      {"compare", "lenet5", "--gpus", "t4", "--precision", "fp8", "--set", "peak_fp8_tensor_gflops=130000"});
  CHECK(compared.exit_code == 0);
  CHECK_THAT(compared.err, Catch::Contains("t4 has no fp8: only what --set makes of it is compared"));
  check_complaint({"lenet5", "--gpu", "t4", "--precision", "fp8", "--set", "tdp_w=80"}, 2, "t4 has no fp8");
  check_complaint({"lenet5", "--gpu", "t4", "--set", "tdp_w=80", "--set", "tdp_w=90"}, 2,
                  "--set tdp_w is given twice");
}

TEST_CASE("measured rows of a precision that the device lacks are refused") {
  const TemporaryFolder folder;
  const std::string rows = folder.file("rows.csv");
  write_file(rows,
             "gpu,framework,mode,op,rows,cols,time_ms,precision\n"
             "t4,pytorch2.1,forward,softmax,8,8,1,fp16\nt4,pytorch2.1,forward,softmax,8,8,1,fp8\n");
  const std::string why = rows + ": line 3: column 'precision': t4 has no fp8";
  check_complaint({"train", rows, "-o", folder.file("p.h5")}, 3, why);
  check_complaint({"calibrate", rows, "--gpu", "t4", "-o", folder.file("p.h5")}, 3, why);
  check_complaint({"evaluate", rows}, 3, why);
}

TEST_CASE("a device file with an unknown technology says what follows") {
  const TemporaryFolder folder;
  const std::string file = folder.file("my.json");
  write_changed_device(file, "t4", "\"turing\"", "\"turning\"");
  const Outcome outcome = run_program({"lenet5", "--gpu-file", file});
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.err, Catch::Contains(file + ": no device of configs/gpus has the technology 'turning': "
                                                 "did you mean turing; times follow from the other facts"));
}

TEST_CASE("PyTorch users of newer GPUs are pointed to tf32") {
  const auto warnings = [](const char* network) {
    return run_json({network, "--gpu", "a100-sxm4-40gb", "--stack", "pytorch2.1"})["warnings"].dump();
  };
  CHECK_THAT(warnings("lenet5"), Catch::Contains("--precision tf32 has all products in it"));
  CHECK_THAT(warnings("gpt2"), !Catch::Contains("tf32"));
}

TEST_CASE("a count that is too large is refused by the option's name, not cut off") {
  const TemporaryFolder folder;
  const std::string out = folder.file("out.h5");
  const std::string too_many = "99999999999";  // 2^32 wraps
  check_complaint({"train", "rows.csv", "-o", out, "--epochs", too_many}, 2, "--epochs is at most 1000000");
  check_complaint({"train", "rows.csv", "-o", out, "--folds", too_many}, 2, "--folds is at most");
  check_complaint({"evaluate", "rows.csv", "--leave-one-gpu-out", "--epochs", too_many}, 2, "--epochs");
  check_complaint({"serve", "--port", "4294967297"}, 2, "--port is at most 65535, not 4294967297");
  check_complaint({"sample", "--device", "fake", "--gpu", "t4", "-o", out, "--threads", "99999"}, 2,
                  "--threads: there are ");
  check_complaint({"measure", "lenet5", "--threads", "4294967297"}, 2, "--threads: there are ");
  check_complaint({"scale", "lenet5", "--gpu", "t4", "--gpus-per-node", too_many}, 2, "--gpus-per-node");
  check_complaint({"lenet5", "--gpu", "t4", "--n-gpus", too_many}, 2, "--n-gpus is at most 1000000");
  const std::string huge = "9007199254740992";
  check_complaint({"lenet5", "--gpu", "t4", "--batch", huge}, 2,
                  "--batch is at most 2147483648, not " + huge);
  check_complaint({"compare", "lenet5", "--gpus", "t4", "--batches", huge}, 2, "--batches is at most");
  check_complaint({"scale", "lenet5", "--gpu", "t4", "--batch-per-gpu", huge}, 2, "--batch-per-gpu");
  check_complaint({"lenet5", "--gpu", "t4", "--input", huge + "x1x32x32"}, 2,
                  "--input " + huge + "x1x32x32: input 'input': shape");
  check_complaint({"lenet5", "--gpu", "t4", "--loader-images-per-s", "1e-320"}, 2,
                  "--loader-images-per-s takes a number above 0, from 1e-15 to 1e15, not '1e-320'");
  const std::string runs = folder.file("runs.csv");
  write_file(runs, "network,n_gpus,gpu,batch,measured_ms\nlenet5,5000000,t4,1,1\n");
  check_complaint({"validate", runs}, 3, "line 2: column 'n_gpus': the number of GPUs is at most 1000000");
}

TEST_CASE("serve tells of a name that nobody knows, and of an address of another machine") {
  const std::string no_name(64, 'x');  // a part of a name has 63 letters at most, so nobody is asked
  check_complaint({"serve", "--host", no_name, "--port", "0"}, 2,
                  "--host: '" + no_name + "' is neither an address nor a name that is known here: ");
  check_complaint({"serve", "--host", "192.0.2.1", "--port", "0"}, 2,
                  "or the address none of this machine");  // an address for documentation: RFC 5737
}

TEST_CASE("a mistyped command is told as one") {
  check_complaint({"frobnicate"}, 2, "'frobnicate' is neither a command, a file nor a network of the zoo");
  check_complaint({"trian", "rows.csv", "-o", "p.h5"}, 2, "the nearest are train (layersim --help)");
  check_complaint({"resnet49"}, 2, "resnet50");
}

TEST_CASE("a file that cannot be written is told by its own name, with the system's reason") {
  const TemporaryFolder folder;
  const std::string rows = folder.file("rows.h5");
  REQUIRE(
      run_program({"sample", "--device", "fake", "--gpu", "t4", "--kinds", "conv", "--n", "8", "-o", rows})
          .exit_code == 0);
  const std::string why = "/proc/x: cannot be written: ";  // where nobody can make a file
  check_complaint({"zoo", "lenet5", "-o", "/proc/x"}, 2, why);
  check_complaint({"calibrate", rows, "--gpu", "t4", "-o", "/proc/x"}, 2, why);
  check_complaint({"sample", "--device", "fake", "--gpu", "t4", "--n", "1", "-o", "/proc/x"}, 2, why);
  check_complaint({"lenet5", "--gpu", "t4", "--json", "/proc/x"}, 2, why);
  check_complaint({"compare", "lenet5", "--gpus", "t4", "--csv", "/proc/x"}, 2, why);
  check_complaint({"data", "export", rows, "--kind", "conv", "-o", "/proc/x"}, 2, "/proc/x: cannot");
  check_complaint({"lenet5", "--gpu", "t4", "--batch", "2", "--n-gpus", "2", "--chakra", "/proc/x"}, 2,
                  "/proc/x.0.et: cannot be written: ");
}

TEST_CASE("times that nobody measured are refused") {
  const TemporaryFolder folder;
  const std::string rows = folder.file("rows.csv");
  const auto write = [&](const std::string& time_ms) {
    write_file(
        rows, "gpu,framework,mode,op,rows,cols,time_ms\nt4,pytorch2.1,forward,softmax,8,8," + time_ms + '\n');
  };
  for (const std::string what : {"'0' is not a time above zero", "'1e300' is above 1e12 ms"}) {
    write(what.substr(1, what.find('\'', 1) - 1));
    const std::string why = "line 2: column 'time_ms': " + what;
    check_complaint({"data", "import", rows, "-o", folder.file("store.h5")}, 3, why);
    check_complaint({"calibrate", rows, "--gpu", "t4", "-o", folder.file("p.h5")}, 3, why);
    check_complaint({"evaluate", rows}, 3, why);
  }
  const std::string runs = folder.file("runs.csv");
  write_file(runs, "network,gpu,batch,measured_ms\nlenet5,t4,1,1e300\n");
  check_complaint({"validate", runs}, 3, "line 2: column 'measured_ms': '1e300' is above 1e12 ms");
  write_file(runs, "network,gpu,batch,measured_ms\nlenet5,t4,1,1\n");
  check_complaint({"regression", "train", runs, "-o", folder.file("r.h5")}, 3,
                  runs + ": a regression needs 10 rows, not 1");
}

TEST_CASE("measured layers with a size of 0 and without an output are refused") {
  const TemporaryFolder folder;
  const std::string rows = folder.file("rows.csv");
  const std::string output = folder.file("out.h5");
  const auto check = [&](const std::string& sizes, const std::string& why) {
    write_file(rows,
               "gpu,framework,mode,batch,input_size,in_channels,out_channels,kernel,stride,pad,time_ms\n"
               "k80,tf1.10,forward,1,8,3,4,3,1,0,1\nk80,tf1.10,forward," +
                   sizes + ",1\n");
    const std::string complaint = rows + ": line 3: column " + why;
    check_complaint({"data", "import", rows, "-o", output}, 3, complaint);
    check_complaint({"train", rows, "-o", output}, 3, complaint);
    check_complaint({"evaluate", rows}, 3, complaint);
    check_complaint({"calibrate", rows, "--gpu", "k80", "-o", output}, 3, complaint);
    check_complaint({"sample", "--problems", rows, "-o", output}, 3, complaint);
    check_complaint({"hybrid", "predict", "lenet5", "--gpu", "k80", "--batches", "1", "--store", rows}, 3,
                    complaint);
  };
  check("0,8,3,4,3,1,0", "'batch' is 0, but a size is at least 1");
  check("1,8,3,4,3,0,0", "'stride' is 0, but a size is at least 1");
  check("1,8,3,-4,3,1,0", "'out_channels': '-4' is not a count between 0 and 2^53");
  check("1,8,3,4,11,1,1",
        "'kernel': a window of 11 is larger than the padded input of 10: there is no output");
}

TEST_CASE("a device file with the key of a known device says whose facts count") {
  const TemporaryFolder folder;
  const std::string file = folder.file("t4.json");
  write_changed_device(file, "t4", "", "");
  CHECK(run_program({"lenet5", "--gpu-file", file}).err.empty());
  write_changed_device(file, "t4", R"("tdp_w": {"value": )", R"("tdp_w": {"value": 1)");
  const Outcome other = run_program({"lenet5", "--gpu-file", file});
  CHECK(other.exit_code == 0);
  CHECK_THAT(other.err, Catch::Contains(file + ": tells of t4 otherwise than configs/gpus: tdp_w; "
                                               "its own facts are used"));
}

TEST_CASE("a largest batch at the end of the search is told as such") {
  const TemporaryFolder folder;
  const std::string network = folder.file("small.txt");
  write_file(network, "network small opset 17\ninput x f32 [N, 2]\ny = Relu(x)\noutput y\n");
  const Json found = run_json({network, "--gpu", "h200-sxm", "--mode", "forward", "--max-batch"});
  CHECK(found["max_batch"] == 16777216);
  CHECK_THAT(found["warnings"].dump(), Catch::Contains("--max-batch tries up to 16777216 samples a device"));
  CHECK_THAT(run_json({"lenet5", "--gpu", "t4", "--max-batch"})["warnings"].dump(),
             !Catch::Contains("--max-batch"));
}
