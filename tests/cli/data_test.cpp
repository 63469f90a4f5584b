#include <catch2/catch.hpp>

#include "sim/core/json.h"
#include "tests/cli/program.h"

using namespace layersim;
using namespace layersim::tests;

namespace {

constexpr const char* kRows =
    "gpu,mode,m,n,k,colour,time_ms\n"
    "k80,forward,1,2,3,red,0.5\n"
    "m60,forward,1,2,3,,0.25\n"
    "k80,forward,4,5,6,,1e-07\n"
    "m60,forward,4,5,6,,2\n";

}  // namespace

TEST_CASE("rows go into a store and come out again") {
  const TemporaryFolder folder;
  const std::string csv = folder.file("rows.csv");
  const std::string store = folder.file("bench.h5");
  write_file(csv, kRows);
  const Json imported = run_json({"data", "import", csv, "-o", store});
  CHECK(imported["files"][0]["kind"] == "gemm");
  CHECK(imported["files"][0]["rows"] == 4);
  CHECK(imported["warnings"].size() == 1);

  CHECK(run_json({"data", "import", "-o", folder.file("other.h5"), csv})["files"].size() == 1);

  const Json info = run_json({"data", "info", store});
  CHECK(info["kinds"][0]["rows"] == 4);
  CHECK(info["kinds"][0]["gpus"] == Json({"k80", "m60"}));
  CHECK(info["kinds"][0]["columns"][6] ==
        Json({{"name", "time_ms"}, {"type", "real"}, {"unit", "ms"}, {"role", "measured"}}));
  CHECK(info["provenance"][0]["source_file"] == "rows.csv");
  const Outcome text = run_program({"data", "info", store});
  for (const char* part : {"gemm: 4 rows", "k80, m60", "time_ms (ms)", "rows.csv"}) {
    INFO(part);
    CHECK(text.out.find(part) != std::string::npos);
  }

  CHECK(run_program({"data", "export", store, "--kind", "gemm", "-o", "-"}).out == kRows);
  const std::string out = folder.file("out.csv");
  CHECK(run_program({"data", "export", store, "--kind", "gemm", "-o", out}).exit_code == 0);
  CHECK(read_text(out) == kRows);
}

TEST_CASE("a row in a precision that its device lacks is not imported") {
  const TemporaryFolder folder;
  const std::string csv = folder.file("rows.csv");
  const std::string store = folder.file("bench.h5");
  const std::string header = "gpu,mode,m,n,k,precision,time_ms\n";
  const std::string good = header + "k80,forward,1,2,3,fp16,0.5\nk80,forward,1,2,3,,0.5\n";
  for (const char* gpu : {"k80", "Tesla K80 (one of two chips)"}) {
    write_file(csv, good + gpu + ",forward,1,2,3,bf16,0.5\n");
    check_complaint(
        {"data", "import", csv, "-o", store}, 3,
        csv +
            ": line 4: column 'precision': k80 has no bf16 by the facts of its file; it has fp64, "
            "fp32, fp16");
  }
  CHECK_FALSE(std::filesystem::exists(store));
  // A device that comes with a file of its own later.
  write_file(csv, good + "ours,forward,1,2,3,bf16,0.5\n");
  const Json imported = run_json({"data", "import", csv, "-o", store});
  CHECK(imported["files"][0]["rows"] == 3);
  CHECK(imported["warnings"] ==
        Json({csv + ": no device is named 'ours': its rows are used with --gpu-file alone"}));
}

TEST_CASE("import knows the precisions of a device by its own file") {
  const TemporaryFolder folder;
  const std::string csv = folder.file("rows.csv");
  const std::string store = folder.file("bench.h5");
  const std::string gpu = folder.file("my.json");
  const std::string sheet = read_text(std::string(LAYERSIM_SOURCE_DIR) + "/configs/gpus/a100-pcie-40gb.json");
  const std::string name = "\"a100-pcie-40gb\"";
  const auto import_of = [&](const std::string& key, const std::string& precision) {
    std::string own = sheet;
    write_file(gpu, own.replace(own.find(name), name.size(), '"' + key + '"'));
    write_file(csv, "gpu,mode,m,n,k,precision,time_ms\n" + key + ",forward,1,2,3," + precision + ",0.5\n");
    return std::vector<std::string>{"data", "import", csv, "-o", store, "--gpu-file", gpu};
  };
  std::vector<std::string> arguments = import_of("k80", "bf16");
  CHECK(run_json(arguments)["files"][0]["rows"] == 1);
  arguments.resize(5);
  check_complaint(arguments, 3, "line 2: column 'precision': k80 has no bf16 by the facts of its file");
  CHECK(run_json(import_of("ours", "bf16"))["files"][0]["rows"] == 1);
  check_complaint(import_of("ours", "fp8"), 3,
                  "line 2: column 'precision': ours has no fp8 by the facts of its file");
  check_complaint({"data", "info", store, "--gpu-file", gpu}, 2, "--gpu-file is for data import");
}

TEST_CASE("a mode that train does not know is not imported") {
  const TemporaryFolder folder;
  const std::string csv = folder.file("rows.csv");
  const std::string store = folder.file("bench.h5");
  for (const std::string mode : {"sideways", ""}) {
    write_file(csv, "gpu,mode,m,n,k,time_ms\nk80,forward,1,2,3,0.5\nk80," + mode + ",1,2,3,0.5\n");
    const std::string why = csv + ": line 3: column 'mode': unknown mode '" + mode + "'";
    check_complaint({"data", "import", csv, "-o", store}, 3, why);
    check_complaint({"train", csv, "-o", store}, 3, why);
  }
  CHECK_FALSE(std::filesystem::exists(store));
  // Rows that nothing is trained on have modes of their own.
  write_file(csv, "gpu,mode,n_gpus,size_floats,time_ms\nk80,all_reduce,2,1000,0.5\n");
  CHECK(run_json({"data", "import", csv, "-o", store})["files"][0]["rows"] == 1);
}

TEST_CASE("runs that validate refuses are not imported") {
  const TemporaryFolder folder;
  const std::string csv = folder.file("runs.csv");
  const std::string store = folder.file("bench.h5");
  const std::string good =
      "network,gpu,batch,mode,precision,n_gpus,nodes,fusion,dim,measured_ms\n"
      "lenet5,k80,1,training,,1,,0,,2\n"
      "net.txt,cpu-2x-e5-2630v3,1,forward,,0,1,1.0,M=8;K=2,2\n";
  const auto refused = [&](const std::string& row, const std::string& why) {
    write_file(csv, good + row + '\n');
    check_complaint({"data", "import", csv, "-o", store}, 3, csv + ": line 4: column " + why);
    check_complaint({"validate", csv}, 3, csv + ": line 4: column " + why);
  };
  write_file(folder.file("net.txt"), "network n opset 17\ninput x f32 [N, 8]\ny = Relu(x)\noutput y\n");
  refused("lenet5,k80,0,training,,1,,,,2", "'batch': a batch takes a whole number of at least 1, not '0'");
  refused("lenet5,k80,,training,,1,,,,2", "'batch': is empty");
  refused("lenet5,k80,4294967296,training,,1,,,,2", "'batch': a batch is at most 2147483648, not 4294967296");
  refused("other.txt,k80,1,training,,1,,,,2",
          "'network': 'other.txt' is neither a file beside the table nor a network of the zoo");
  refused("lenet5,k81,1,training,,1,,,,2", "'gpu': no device is named 'k81'");
  refused("lenet5,k80,1,sideways,,1,,,,2", "'mode': 'sideways' is none of forward, training");
  refused("lenet5,k80,1,training,fp33,1,,,,2", "'precision': 'fp33' is none of ");
  refused(",k80,1,training,,1,,,,2", "'network': is empty");
  refused("lenet5,k80,1,training,,0,,,,2",
          "'n_gpus': 0 is for CPUs: k80 is a GPU, of which a run takes at least 1");
  refused("lenet5,k80,1,training,,2000000,,,,2",
          "'n_gpus': the number of GPUs is at most 1000000, not 2000000");
  refused("lenet5,k80,1,training,,4,3,,,2", "'nodes': 4 GPUs do not divide evenly among 3 hosts");
  refused("lenet5,k80,1,training,,1,,7,,2", "'fusion': '7' is neither 0 nor 1");
  refused("lenet5,k80,1,training,,1,,,M,2", "'dim': an axis takes NAME=VALUE, not 'M'");
  refused("lenet5,k80,1,training,,1,,,,0", "'measured_ms': '0' is not a time above zero");
  CHECK_FALSE(std::filesystem::exists(store));
  write_file(csv, good);
  CHECK(run_json({"data", "import", csv, "-o", store})["files"][0]["rows"] == 2);
  // Names of published tables are those of their authors; what they count is not.
  write_file(csv, "model,gpu,batch,mode,total_ms\nsomebody's net,k80,1,training,2\n");
  CHECK(run_json({"data", "import", csv, "-o", store})["files"][0]["rows"] == 1);
  write_file(csv, "model,gpu,n_gpus,batch,mode,total_ms\na,k80,1,1,training,2\nb,k80,0,1,training,2\n");
  check_complaint({"data", "import", csv, "-o", store}, 3, csv + ": line 3: column 'n_gpus': 0 is for CPUs");
}

TEST_CASE("flags, batches and devices of layers that nobody means are neither imported nor trained on") {
  const TemporaryFolder folder;
  const std::string csv = folder.file("rows.csv");
  const auto refused = [&](const std::string& row, const std::string& why) {
    write_file(csv, "gpu,framework,mode,n_gpus,batch,in_features,out_features,bias,time_ms\n" + row + '\n');
    check_complaint({"data", "import", csv, "-o", folder.file("bench.h5")}, 3,
                    csv + ": line 2: column " + why);
    check_complaint({"train", csv, "-o", folder.file("mine.h5")}, 3, csv + ": line 2: column " + why);
  };
  refused("k80,tf1.10,forward,1,1,8,8,7,1", "'bias': '7' is neither 0 nor 1");
  refused("k80,tf1.10,forward,1,4294967296,8,8,1,1",
          "'batch': a batch is at most 2147483648, not 4294967296");
  refused("k80,tf1.10,forward,4,1,8,8,1,1", "'n_gpus': a layer is measured on one device, not 4");
  write_file(csv, "gpu,mode,batch,in_features,out_features,time_ms\n");
  check_complaint({"data", "import", csv, "-o", folder.file("bench.h5")}, 3, csv + ": has no rows");
  write_file(csv, "gpu,model,profiled_steps,batch,batch_ms\nk80,a,0,1,1\n");
  check_complaint({"data", "import", csv, "-o", folder.file("bench.h5")}, 3,
                  csv + ": line 2: column 'profiled_steps' is 0, but a size is at least 1");
}

TEST_CASE("a layer that train refuses is not imported, wherever in the file") {
  const TemporaryFolder folder;
  const std::string csv = folder.file("rows.csv");
  std::string rows = "gpu,framework,mode,op,rows,cols,time_ms\n";
  for (int i = 0; i < 9000; ++i) rows += "k80,pytorch2.1,forward,softmax,8,8,1\n";
  write_file(csv, rows + "k80,pytorch2.1,forward,softmin,8,8,1\n");
  const std::string why = csv + ": line 9002: column 'op': unknown operator 'softmin'";
  check_complaint({"data", "import", csv, "-o", folder.file("bench.h5")}, 3, why);
  check_complaint({"train", csv, "-o", folder.file("bench.h5")}, 3, why);
}

TEST_CASE("stores are split and merged again") {
  const TemporaryFolder folder;
  const std::string csv = folder.file("rows.csv");
  const std::string store = folder.file("bench.h5");
  const std::string train = folder.file("train.h5");
  const std::string test = folder.file("test.h5");
  write_file(csv, kRows);
  run_json({"data", "import", csv, "-o", store});
  const Json split = run_json({"data", "split", store, "--by", "gpu", "--test", "m60", "-o", train, test});
  CHECK(split["kinds"][0]["train_rows"] == 2);
  CHECK(split["kinds"][0]["test_rows"] == 2);
  const Json merged = run_json({"data", "merge", train, test, store, "-o", folder.file("all.h5")});
  CHECK(merged["kinds"][0]["rows"] == 4);
  CHECK(merged["kinds"][0]["duplicates"] == 4);

  std::string many = "gpu,mode,m,n,k,time_ms\n";
  for (int m = 1; m <= 40; ++m) many += "k80,forward," + std::to_string(m) + ",2,3,0.5\n";
  write_file(csv, many);
  const std::string many_store = folder.file("many.h5");
  run_json({"data", "import", csv, "-o", many_store});
  const Json random = run_json({"data", "split", many_store, "--test", "0.5", "--seed", "3", "-o",
                                folder.file("a.h5"), folder.file("b.h5")});
  CHECK(random["test_names"].empty());
  CHECK(random["kinds"][0]["train_rows"].get<int>() > 5);
  CHECK(random["kinds"][0]["test_rows"].get<int>() > 5);
}

TEST_CASE("what is wrong with a store is said in one line") {
  const TemporaryFolder folder;
  const std::string csv = folder.file("rows.csv");
  const std::string store = folder.file("bench.h5");
  write_file(csv, kRows);
  check_complaint({"data"}, 2, "data what? import, info, merge, split or export");
  check_complaint({"data", "drop", store}, 2, "data takes import");
  check_complaint({"data", "import", csv}, 2, "data import needs -o FILE");
  check_complaint({"data", "import", csv, "-o", store, "--kind", "gemm"}, 2, "--kind is for data export");
  check_complaint({"data", "info", store, "--seed", "2"}, 2, "--seed is for data split");
  check_complaint({"data", "info", csv}, 3, "is not a store of layersim");
  check_complaint({"data", "info", store}, 3, "No such file");
  write_file(folder.file("bad.csv"), "gpu,mode,m,n,k,time_ms\nk80,forward,1,2,3,fast\n");
  check_complaint({"data", "import", folder.file("bad.csv"), "-o", store}, 3,
                  "line 2: column 'time_ms': 'fast'");
  run_json({"data", "import", csv, "-o", store});
  const std::string bytes = read_text(store);
  write_file(store, bytes.substr(0, bytes.size() / 2));
  check_complaint({"data", "info", store}, 3, "is a damaged store");
  check_complaint({"data", "import", csv, "-o", store}, 3, "is a damaged store");
  std::filesystem::create_symlink(store, folder.file("link.h5"));
  check_complaint({"data", "import", csv, "-o", folder.file("link.h5")}, 3,
                  "layersim: " + folder.file("link.h5") + ": is a damaged store");
  check_complaint({"data", "import", csv, "-o", "/nowhere/bench.h5"}, 2, "No such file or directory");
}
