#include "sim/store/store_split.h"

#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "sim/core/error.h"
#include "sim/store/store_import.h"
#include "sim/store/store_reader.h"
#include "tests/store/temporary_folder.h"

namespace layersim {
namespace {

// 500 problems on each of 4 GPUs, and operators of 5 networks on one.
class SplitStore {
 public:
  SplitStore() {
    std::string gemm = "gpu,framework,mode,m,n,k,time_ms\n";
    for (const std::string gpu : {"k40", "k80", "m60", "v100-sxm2"}) {
      for (int i = 1; i <= 500; ++i) {
        gemm += gpu + ",cudnn,forward," + std::to_string(i) + ",2,3," + std::to_string(i + 0.5) + "\n";
      }
    }
    std::string ops = "gpu,mode,model,op_index,op,forward_ms\n";
    for (const std::string model : {"bert", "gpt2", "opt", "switch", "t5"}) {
      for (int i = 0; i < 10; ++i) ops += "k80,forward," + model + "," + std::to_string(i) + ",add,1\n";
    }
    Warnings warnings;
    import_files({folder.write("gemm.csv", gemm), folder.write("ops.csv", ops)}, input, warnings);
  }

  Split split(const SplitOptions& options) const { return split_store(input, options, train, test); }

  tests::TemporaryFolder folder;
  std::string input = folder.file("bench.h5");
  std::string train = folder.file("train.h5");
  std::string test = folder.file("test.h5");
};

std::set<double> sizes(const std::string& store) {
  const Table table = StoreReader(store).read("gemm");
  return {table.numbers("m").begin(), table.numbers("m").end()};
}

TEST_CASE("A split by configuration keeps all GPUs of a problem on one side") {
  const SplitStore store;
  const Split split = store.split({});
  const std::set<double> train = sizes(store.train);
  const std::set<double> test = sizes(store.test);
  CHECK(train.size() + test.size() == 500);
  CHECK(test.size() > 60);  // 100 expected, standard deviation 9
  CHECK(test.size() < 140);
  REQUIRE(split.kinds.size() == 2);
  CHECK(split.kinds[0].kind == "gemm");
  CHECK(split.kinds[0].test_rows == 4 * test.size());
  CHECK(split.kinds[0].train_rows == 4 * train.size());
  store.split({});
  CHECK(sizes(store.test) == test);
  store.split({.seed = 2});
  CHECK(sizes(store.test) != test);
  const StoreReader reader(store.test);
  CHECK(reader.provenance().size() == 2);
}

TEST_CASE("A split by GPU or network divides by name") {
  const SplitStore store;
  const auto gpus_of = [](const std::string& path) {
    const Table table = StoreReader(path).read("gemm");
    std::set<std::string> gpus;
    for (std::size_t row = 0; row < table.rows(); ++row) gpus.emplace(table.text("gpu", row));
    return gpus;
  };
  store.split({.by = SplitBy::gpu, .test_names = {"k80", "m60"}});
  CHECK(gpus_of(store.test) == std::set<std::string>{"k80", "m60"});
  CHECK(gpus_of(store.train) == std::set<std::string>{"k40", "v100-sxm2"});

  const Split drawn = store.split({.by = SplitBy::gpu, .test_share = 0.25});
  REQUIRE(drawn.test_names.size() == 1);
  CHECK(gpus_of(store.test) == std::set<std::string>{drawn.test_names[0]});

  const Split networks = store.split({.by = SplitBy::network, .test_share = 0.4});
  CHECK(networks.test_names.size() == 2);
  CHECK(StoreReader(store.test).read("network_ops").rows() == 20);
  CHECK(StoreReader(store.test).find("gemm") == nullptr);
  CHECK(StoreReader(store.train).read("gemm").rows() == 2000);

  CHECK_THROWS_WITH(store.split({.by = SplitBy::gpu, .test_names = {"h100"}}),
                    store.input + ": has no GPU 'h100'");
  CHECK_THROWS_WITH(store.split({.test_share = 1}), "the share to test on must lie between 0 and 1");
  CHECK_THROWS_WITH(split_store(store.input, {}, store.test, store.test),
                    store.test + " is given for both sides");
}

}  // namespace
}  // namespace layersim
