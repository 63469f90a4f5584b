#include "sim/store/csv_rows.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "sim/core/error.h"
#include "tests/shared_files.h"
#include "tests/store/temporary_folder.h"

namespace layersim {
namespace {

const std::string kConv =
    "gpu,mode,batch,input_size,in_channels,out_channels,kernel,stride,padding,time_ms\n";

Table table_of(const std::string& bytes) {
  const tests::TemporaryFolder folder;
  Warnings warnings;
  return read_csv(folder.write("a.csv", bytes), warnings);
}

// The message without the path of the temporary file.
std::string failure(const std::string& bytes) {
  try {
    table_of(bytes);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::bad_input);
    const std::string text = error.what();
    return text.substr(text.find("a.csv: ") + 7);
  }
  return "no error";
}

TEST_CASE("A CSV file becomes typed columns") {
  const Table table =
      table_of(kConv + "k80,training,8,,3,64.0,7,2,same,1.25\nv100-sxm2,training,4,32,3,64,7,2,,3\n");
  CHECK(table.kind() == "conv");
  CHECK(table.rows() == 2);
  CHECK(table.numbers("batch")[1] == 4);
  CHECK(std::isnan(table.numbers("input_size")[0]));
  CHECK(table.numbers("out_channels")[0] == 64);
  CHECK(table.numbers("time_ms")[0] == 1.25);
  CHECK(table.text("gpu", 1) == "v100-sxm2");
  CHECK(table.text("padding", 0) == "same");
  CHECK(table.text("padding", 1).empty());
  CHECK(table.text("optimizer", 1).empty());
  CHECK(table.find("mode")->codes == std::vector<std::int32_t>{0, 0});
  CHECK(table.find("time_ms")->spec.unit == "ms");
  CHECK_THROWS_WITH(table.numbers("gpu"), "column 'gpu' of kind 'conv' holds texts, not numbers");
  CHECK_THROWS_WITH(table.numbers("nothing"), "rows of kind 'conv' have no column 'nothing'");
}

TEST_CASE("Bad rows are refused with line and column") {
  CHECK(failure(kConv + "k80,training,x,1,3,64,7,2,same,1\n") ==
        "line 2: column 'batch': 'x' is not a whole number");
  CHECK(failure(kConv + "k80,training,1.5,1,3,64,7,2,same,1\n") ==
        "line 2: column 'batch': '1.5' is not a whole number");
  CHECK(failure(kConv + "k80,training,-1,1,3,64,7,2,same,1\n") ==
        "line 2: column 'batch': '-1' is not a count between 0 and 2^53");
  CHECK(failure(kConv + "k80,training,99999999999999999999,1,3,64,7,2,same,1\n") ==
        "line 2: column 'batch': '99999999999999999999' is not a count between 0 and 2^53");
  CHECK(failure(kConv + "k80,training,1,1,3,64,7,2,same,nan\n") ==
        "line 2: column 'time_ms': 'nan' is not a number");
  CHECK(failure(kConv + "k80,training,1,1,3,64,7,2,same,1ms\n") ==
        "line 2: column 'time_ms': '1ms' is not a number");
  CHECK(failure(kConv + "k80,training,1,1,3,64,7,2,same,-1\n") ==
        "line 2: column 'time_ms': '-1' is not a time above zero");
  CHECK(failure(kConv + "k80,training,1,1,3,64,7,2,same,0\n") ==
        "line 2: column 'time_ms': '0' is not a time above zero");
  CHECK(failure("gpu,mode,m,n,k,time_ms,time_ms_std\nk80,forward,1,2,3,1,-4\n") ==
        "line 2: column 'time_ms_std': '-4' is below zero");
  CHECK(failure("gpu,mode,m,n,k,time_ms,sparsity\nk80,forward,1,2,3,1,7\n") ==
        "line 2: column 'sparsity': '7' is not a share from 0 to 1");
  CHECK(failure(kConv + "k80,training,1,1,3,64,7,2,same,1e300\n") ==
        "line 2: column 'time_ms': '1e300' is above 1e12 ms");
  CHECK(failure(kConv + "k80,training,1,1,3,64,7,2,same,\n") == "line 2: column 'time_ms': is empty");
  CHECK(failure(kConv + ",training,1,1,3,64,7,2,same,1\n") == "line 2: column 'gpu': is empty");
  CHECK(failure(kConv + "k\x01,training,1,1,3,64,7,2,same,1\n") ==
        "line 2: column 'gpu': the text holds a control character");
  CHECK(failure(kConv + "k\xff,training,1,1,3,64,7,2,same,1\n") ==
        "line 2: column 'gpu': the text is not UTF-8");
}

TEST_CASE("Columns that fit no kind are refused with what is missing") {
  CHECK(failure("a,b\n1,2\n").starts_with("the columns fit none of the kinds of measured rows: "));
  CHECK(failure("gpu,mode,batch,in_channels,out_channels,kernel,time_ms\n") ==
        "looks like rows of kind 'conv' but has no column 'input_size' or 'input_w', 'input_size' or "
        "'input_h'");
  CHECK(failure("gpu,mode,m,n,k\n") == "looks like rows of kind 'gemm' but has no column 'time_ms'");
  CHECK(failure("mode,network,batch,measured_ms\n") ==
        "looks like rows of kind 'networks' but has no column 'gpu'");
}

TEST_CASE("A column that nobody knows is kept and warned of") {
  const tests::TemporaryFolder folder;
  Warnings warnings;
  const std::string path =
      folder.write("a.csv", "gpu,mode,m,n,k,colour,extra_ms,time_ms\nk80,forward,1,2,3,red,4,5\n");
  const Table table = read_csv(path, warnings);
  CHECK(table.text("colour", 0) == "red");
  CHECK(table.numbers("extra_ms")[0] == 4);
  CHECK(warnings.all() ==
        std::vector<std::string>{path + ": column 'colour' is not in the vocabulary; kept as text"});
}

TEST_CASE("Every measured file is recognised by its columns") {
  if (!tests::have_shared("data/layers")) return;
  const std::vector<std::pair<std::string, std::string>> files = {
      {"layers/justus_conv.csv.gz", "conv"},
      {"layers/justus_dense.csv.gz", "dense"},
      {"layers/neusight_conv.csv.gz", "conv"},
      {"layers/neusight_gemm.csv.gz", "gemm"},
      {"layers/neusight_rowwise.csv.gz", "rowwise"},
      {"layers/neusight_elementwise.csv.gz", "elementwise"},
      {"layers/neusight_network_ops.csv.gz", "network_ops"},
      {"layers/deepbench_conv.csv.gz", "conv"},
      {"layers/deepbench_gemm.csv.gz", "gemm"},
      {"layers/deepbench_rnn.csv.gz", "rnn"},
      {"layers/deepbench_sparse_gemm.csv.gz", "sparse_gemm"},
      {"layers/deepbench_allreduce.csv", "allreduce"},
      {"networks/convnet_benchmarks.csv", "networks"},
      {"networks/neusight_transformers.csv", "networks"},
      {"networks/profet_tf25.csv", "networks"},
      {"networks/torch7_cnn.csv", "networks"},
      {"networks/torchvision_pytorch14.csv", "networks"},
      {"profiles/profet_ops.csv.gz", "op_profiles"},
      {"profiles/hardware_metrics.csv.gz", "hardware_metrics"}};
  for (const auto& [file, kind] : files) {
    INFO(file);
    Warnings warnings;
    CsvRows rows(tests::shared_path("data/" + file).string(), warnings);
    CHECK(rows.kind().name == kind);
    Table table = rows.make_table();
    CHECK(rows.read(table, 200));
    CHECK(table.rows() > 40);
    CHECK(warnings.all().empty());
  }
}

TEST_CASE("Rows are selected and appended by column name") {
  Table all = table_of("gpu,mode,m,n,k,time_ms\nk80,forward,1,2,3,5\nk40,forward,1,2,3,6\n");
  append_rows(all, table_of("gpu,mode,m,n,k,op,time_ms\nk40,forward,1,2,3,bmm,7\nm60,forward,1,2,3,bmm,8\n"));
  CHECK(all.rows() == 4);
  CHECK(all.text("op", 0).empty());
  CHECK(all.text("op", 3) == "bmm");
  const std::vector<char> keep = {0, 1, 0, 1};
  const Table some = select_rows(all, keep);
  CHECK(some.rows() == 2);
  CHECK(some.text("gpu", 0) == "k40");
  CHECK(some.find("gpu")->dictionary.texts() == std::vector<std::string>{"k40", "m60"});
  CHECK(some.numbers("time_ms")[1] == 8);
}

TEST_CASE("Numbers print in the shortest form that reads back") {
  CHECK(format_number(3.428922) == "3.428922");
  CHECK(format_number(100000) == "100000");
  CHECK(format_number(0.1) == "0.1");
  CHECK(format_number(1e-7) == "1e-07");
  CHECK(format_number(-0.5) == "-0.5");
}

}  // namespace
}  // namespace layersim
