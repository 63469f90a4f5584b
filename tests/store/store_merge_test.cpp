#include "sim/store/store_merge.h"

#include <catch2/catch.hpp>
#include <set>

#include "sim/core/error.h"
#include "sim/store/row_hash.h"
#include "sim/store/store_import.h"
#include "sim/store/store_reader.h"
#include "tests/store/temporary_folder.h"

namespace layersim {
namespace {

std::string make_store(const tests::TemporaryFolder& folder, const std::string& name,
                       const std::string& csv) {
  Warnings warnings;
  import_files({folder.write(name + ".csv", csv)}, folder.file(name + ".h5"), warnings);
  return folder.file(name + ".h5");
}

TEST_CASE("A merge leaves out rows that an earlier store has and keeps repeated measurements") {
  const tests::TemporaryFolder folder;
  const std::string a = make_store(folder, "a",
                                   "gpu,mode,m,n,k,time_ms\n"
                                   "k80,forward,1,2,3,0.5\n"
                                   "k80,forward,1,2,3,0.5\n"  // twice in one store: stays
                                   "m60,forward,1,2,3,0.5\n");
  const std::string b = make_store(folder, "b",
                                   "time_ms,gpu,mode,m,n,k,op\n"    // other order, a column more
                                   "0.5,k80,forward,1,2,3,\n"       // the same row
                                   "0.75,k80,forward,1,2,3,\n"      // the same problem, another time
                                   "0.5,k80,forward,1,2,3,bmm\n");  // another problem
  const std::string c = folder.file("c.h5");
  const auto merged = merge_stores({a, b}, c);
  REQUIRE(merged.size() == 1);
  CHECK(merged[0].kind == "gemm");
  CHECK(merged[0].rows == 5);
  CHECK(merged[0].duplicates == 1);
  CHECK(merged[0].repeated == 2);
  CHECK(merged[0].first_duplicates ==
        std::vector<std::string>{b + " row 1: time_ms=0.5 gpu=k80 mode=forward m=1 n=2 k=3"});

  const StoreReader store(c);
  const Table rows = store.read("gemm");
  CHECK(rows.rows() == 5);
  CHECK(rows.numbers("time_ms")[3] == 0.75);
  CHECK(rows.text("op", 4) == "bmm");
  REQUIRE(store.provenance().size() == 2);
  CHECK(store.provenance()[0].rows == 3);
  CHECK(store.provenance()[1].rows == 2);
  CHECK(store.provenance()[1].source_file == "b.csv");
  CHECK(rows.provenance() == std::vector<std::int32_t>{0, 0, 0, 1, 1});

  merge_stores({c, a}, c);  // the output may be an input
  CHECK(StoreReader(c).read("gemm").rows() == 5);
  CHECK_THROWS_AS(merge_stores({a, folder.file("none.h5")}, c), Error);
  CHECK(StoreReader(c).read("gemm").rows() == 5);
}

TEST_CASE("Hashes of rows depend on the fields alone") {
  Table a("gemm");
  a.add_column(column_spec("gpu"));
  a.add_column(column_spec("m"));
  a.add_column(column_spec("time_ms"));
  for (int i = 0; i < 1000; ++i) {
    a.columns()[0].codes.push_back(a.columns()[0].dictionary.code(i % 2 == 0 ? "k80" : "m60"));
    a.columns()[1].numbers.push_back(i / 2);
    a.columns()[2].numbers.push_back(i);
  }
  a.set_rows(1000);
  Table b("gemm");
  b.add_column(column_spec("n"));
  b.add_column(column_spec("time_ms"));
  append_rows(b, a);
  CHECK(hash_rows(a, HashedColumns::all) == hash_rows(b, HashedColumns::all));
  const auto features = hash_rows(a, HashedColumns::features);
  CHECK(features[0] == features[1]);
  CHECK(features[0] != features[2]);
  const auto things = hash_rows(a, HashedColumns::measured_thing);
  CHECK(std::set<std::uint64_t>(things.begin(), things.end()).size() == 1000);
  CHECK(hash_rows(a, HashedColumns::features, 1) != features);
}

}  // namespace
}  // namespace layersim
