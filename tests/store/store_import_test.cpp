#include "sim/store/store_import.h"

#include <catch2/catch.hpp>

#include <map>

#include "sim/core/error.h"
#include "sim/store/csv_rows.h"
#include "sim/store/store_reader.h"
#include "sim/store/store_writer.h"
#include "tests/shared_files.h"
#include "tests/store/same_rows.h"
#include "tests/store/temporary_folder.h"

namespace layersim {
namespace {

const std::string kGemm = "gpu,framework,mode,op,m,n,k,time_ms\n";

// More rows than two chunks, with missing fields, times that compress and times that do not.
std::string many_rows(int rows) {
  std::string text = kGemm;
  for (int i = 0; i < rows; ++i) {
    text += i % 3 == 0 ? "k80," : "v100-sxm2,";
    text += i % 5 == 0 ? ",forward,linear," : "pytorch2.1,forward,bmm,";
    text += std::to_string(i + 1) + "," + (i % 7 == 0 ? "" : std::to_string(i * 31 % 4096 + 1)) + ",64,";
    text += format_number(i < 9000 ? 0.5 : (i * 2654435761U % 1000003) / 977.0) + "\n";
  }
  return text;
}

TEST_CASE("Imported rows read back as the CSV file has them") {
  const tests::TemporaryFolder folder;
  const std::string csv = folder.write_gzip("gemm.csv.gz", many_rows(20000));
  const std::string store = folder.file("bench.h5");
  Warnings warnings;
  const auto imported = import_files({csv}, store, warnings);
  REQUIRE(imported.size() == 1);
  CHECK(imported[0].kind == "gemm");
  CHECK(imported[0].rows == 20000);

  const StoreReader reader(store);
  REQUIRE(reader.tables().size() == 1);
  CHECK(reader.table("gemm").rows == 20000);
  tests::check_same_rows(reader.read("gemm"), read_csv(csv, warnings));

  REQUIRE(reader.provenance().size() == 1);
  const Provenance& record = reader.provenance()[0];
  CHECK(record.kind == "gemm");
  CHECK(record.source_file == "gemm.csv.gz");
  CHECK(record.source_sha256.size() == 64);
  CHECK(record.gpus == "k80,v100-sxm2");
  CHECK(record.frameworks == "pytorch2.1");
  CHECK(record.rows == 20000);
  CHECK_FALSE(std::filesystem::exists(store + ".partial"));
  CHECK_FALSE(std::filesystem::exists(store + ".lock"));
}

TEST_CASE("A second import adds rows and columns; what a file lacks is missing") {
  const tests::TemporaryFolder folder;
  const std::string store = folder.file("bench.h5");
  const std::string first = folder.write("first.csv", many_rows(10000));
  const std::string second = folder.write(
      "second.csv",
      "gpu,mode,m,n,k,precision,bias,time_ms,time_ms_std\nm60,forward,1,2,3,fp16,1,0.25,0.125\n");
  const std::string dense =
      folder.write("dense.csv", "gpu,mode,batch,in_features,out_features,time_ms\nk40,training,1,2,3,4\n");
  Warnings warnings;
  import_files({first}, store, warnings);
  import_files({second, dense}, store, warnings);
  const StoreReader reader(store);
  const Table rows = reader.read("gemm");
  Table expected = read_csv(first, warnings);
  append_rows(expected, read_csv(second, warnings));
  tests::check_same_rows(rows, expected);
  CHECK(rows.text("precision", 10000) == "fp16");
  CHECK(rows.find("bias")->is_missing(9999));
  CHECK(rows.provenance()[9999] == 0);
  CHECK(rows.provenance()[10000] == 1);
  CHECK(reader.read("dense").rows() == 1);
  CHECK(reader.provenance().size() == 3);
}

TEST_CASE("A column that only later rows have is kept by every further import") {
  const tests::TemporaryFolder folder;
  const std::string store = folder.file("bench.h5");
  std::string with_colour = "gpu,framework,mode,op,m,n,k,colour,time_ms\n";
  for (int i = 0; i < 10000; ++i) {
    with_colour += "k80,tf1.10,forward,linear,1,2," + std::to_string(i + 1) + ",red,0.5\n";
  }
  Warnings warnings;
  // The first chunks of the column are never written.
  import_files({folder.write("plain.csv", many_rows(20000))}, store, warnings);
  import_files({folder.write("coloured.csv", with_colour)}, store, warnings);
  import_files({folder.write("more.csv", many_rows(10))}, store, warnings);
  const Table table = StoreReader(store).read("gemm");
  REQUIRE(table.rows() == 30010);
  CHECK(table.text("colour", 0).empty());
  CHECK(table.text("colour", 19999).empty());
  CHECK(table.text("colour", 20000) == "red");
  CHECK(table.text("colour", 29999) == "red");
  CHECK(table.text("colour", 30009).empty());
}

TEST_CASE("An import that fails changes nothing") {
  const tests::TemporaryFolder folder;
  const std::string store = folder.file("bench.h5");
  const std::string good = folder.write("good.csv", many_rows(100));
  const std::string other = folder.write("other.csv", many_rows(50));
  const std::string bad = folder.write("bad.csv", kGemm + "k80,,forward,bmm,1,2,x,1\n");
  Warnings warnings;
  CHECK_THROWS_WITH(import_files({good, bad}, store, warnings),
                    bad + ": line 2: column 'k': 'x' is not a whole number");
  CHECK_FALSE(std::filesystem::exists(store));
  import_files({good}, store, warnings);
  const std::string before = tests::read_file(store);
  CHECK_THROWS_AS(import_files({other, bad}, store, warnings), Error);
  CHECK_THROWS_WITH(import_files({good}, store, warnings),
                    good + ": its rows are in the store already (as good.csv)");
  CHECK_THROWS_WITH(import_files({folder.file("none.csv")}, store, warnings),
                    folder.file("none.csv") + ": cannot open: No such file or directory");
  CHECK(tests::read_file(store) == before);
  CHECK_FALSE(std::filesystem::exists(store + ".partial"));
}

TEST_CASE("Every text and precision of a long file is checked, each once") {
  const tests::TemporaryFolder folder;
  const auto row = [](const std::string& mode, const std::string& precision) {
    return "k80," + mode + ",1,2,3," + precision + ",1\n";
  };
  std::string text = "gpu,mode,m,n,k,precision,time_ms\n";
  for (int i = 0; i < 8192; ++i) text += row("forward", "fp32");
  text += row("backward", "bf16");
  text += row("forward", "");
  std::vector<std::string> met;
  ImportChecks checks;
  checks.layer = [&](const std::string& file, const Table& rows, std::size_t first) {
    CHECK(file == folder.file("long.csv"));
    met.push_back(rows.kind() + std::string(rows.text("mode", first)));
  };
  checks.precision = [&](std::string_view gpu, std::string_view precision) {
    met.push_back(std::string(gpu).append(precision));
    if (precision == "bf16") throw bad_input("no");
  };
  Warnings warnings;
  const std::string csv = folder.write("long.csv", text);
  CHECK_THROWS_WITH(import_files({csv}, folder.file("bench.h5"), warnings, checks),
                    csv + ": line 8194: column 'precision': no");
  // The last row is the first without a precision.
  CHECK(met == std::vector<std::string>{"gemmforward", "k80fp32", "gemmbackward", "gemmforward", "k80bf16"});
}

TEST_CASE("Every row of a table of runs is checked") {
  const tests::TemporaryFolder folder;
  std::vector<std::size_t> met;
  ImportChecks checks;
  checks.layer = [](const std::string&, const Table&, std::size_t) { FAIL("these are no layers"); };
  checks.run = [&](const std::string&, const Table&, std::size_t row) {
    met.push_back(row);
    if (met.size() == 3) throw bad_input("no");
  };
  Warnings warnings;
  const std::string csv = folder.write("runs.csv",
                                       "model,gpu,mode,batch,time_ms\na,k80,forward,1,1\na,k80,forward,1,1\n"
                                       "a,k80,forward,1,1\na,k80,forward,1,1\n");
  CHECK_THROWS_WITH(import_files({csv}, folder.file("bench.h5"), warnings, checks), csv + ": line 4: no");
  CHECK(met == std::vector<std::size_t>{0, 1, 2});
}

TEST_CASE("Measured files of several sources fit one store and read back") {
  if (!tests::have_shared("data/layers")) return;
  const tests::TemporaryFolder folder;
  const std::string store = folder.file("bench.h5");
  std::vector<std::string> files;
  for (const char* name :
       {"layers/neusight_conv.csv.gz", "layers/deepbench_conv.csv.gz", "layers/neusight_network_ops.csv.gz",
        "layers/deepbench_allreduce.csv", "networks/convnet_benchmarks.csv", "networks/profet_tf25.csv",
        "networks/neusight_transformers.csv"}) {
    files.push_back(tests::shared_path(std::string("data/") + name).string());
  }
  Warnings warnings;
  import_files(files, store, warnings);
  CHECK(warnings.all().empty());
  std::map<std::string, Table> expected;
  for (const std::string& file : files) {
    const Table table = read_csv(file, warnings);
    append_rows(expected.emplace(table.kind(), Table(table.kind())).first->second, table);
  }
  const StoreReader reader(store);
  CHECK(reader.tables().size() == expected.size());
  for (const auto& [kind, table] : expected) tests::check_same_rows(reader.read(kind), table);
}

}  // namespace
}  // namespace layersim
