#include <catch2/catch.hpp>
#include <random>

#include "sim/core/error.h"
#include "sim/store/hdf5_handle.h"
#include "sim/store/store_header.h"
#include "sim/store/store_import.h"
#include "sim/store/store_reader.h"
#include "tests/store/temporary_folder.h"

namespace layersim {
namespace {

std::string make_store(const tests::TemporaryFolder& folder) {
  Warnings warnings;
  const std::string csv =
      folder.write("a.csv", "gpu,mode,m,n,k,time_ms\nk80,forward,1,2,3,4\nm60,forward,1,2,,4\n");
  import_files({csv}, folder.file("bench.h5"), warnings);
  return tests::read_file(folder.file("bench.h5"));
}

// The message without the path; every failure must be a bad_input.
std::string failure(const tests::TemporaryFolder& folder, const std::string& bytes) {
  const std::string path = folder.write("damaged.h5", bytes);
  try {
    const StoreReader store(path);
    for (const StoredTable& table : store.tables()) static_cast<void>(store.read(table.kind));
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::bad_input);
    const std::string text = error.what();
    CHECK(text.find('\n') == std::string::npos);
    REQUIRE(text.starts_with(path + ": "));
    return text.substr(path.size() + 2);
  }
  return "no error";
}

TEST_CASE("Damaged, foreign and newer stores are refused with one line") {
  const tests::TemporaryFolder folder;
  const std::string bytes = make_store(folder);
  CHECK(failure(folder, bytes) == "no error");
  CHECK(failure(folder, "") == "is not a store of layersim");
  CHECK(failure(folder, "gpu,mode\n") == "is not a store of layersim");
  CHECK(failure(folder, bytes.substr(0, 100)) == "is a damaged store: its header is not readable");
  CHECK(failure(folder, bytes.substr(0, bytes.size() - 1)) ==
        "is a damaged store: it has " + std::to_string(bytes.size() - 1) + " bytes and should have " +
            std::to_string(bytes.size()));
  std::string newer = bytes;
  newer.replace(newer.find("schema_version 1"), 16, "schema_version 2");
  CHECK(failure(folder, newer) == "is a store of schema version 2; this program reads up to 1");

  const std::string foreign = folder.file("foreign.h5");
  hdf5::create_file(foreign, 0).close("close");
  CHECK(failure(folder, tests::read_file(foreign)) == "is not a store of layersim");

  CHECK_THROWS_WITH(StoreReader(folder.file("none.h5")),
                    folder.file("none.h5") + ": cannot open: No such file or directory");
  CHECK_THROWS_WITH(StoreReader("/tmp"), "/tmp: is a folder");
}

TEST_CASE("A store that any byte of is changed is refused") {
  const tests::TemporaryFolder folder;
  const std::string bytes = make_store(folder);
  std::mt19937 random(7);
  for (int i = 0; i < 500; ++i) {
    std::string damaged = bytes;
    const std::size_t at = random() % damaged.size();
    damaged[at] = static_cast<char>(damaged[at] ^ static_cast<char>(1 + random() % 255));
    INFO("byte " << at);
    CHECK(failure(folder, damaged) != "no error");
    CHECK(failure(folder, bytes.substr(0, random() % bytes.size())) != "no error");
  }
}

// What a program that writes the checksum, but not the layout, could leave.
TEST_CASE("A store with a valid checksum and wrong contents is refused") {
  const tests::TemporaryFolder folder;
  const std::string path = folder.file("odd.h5");
  const auto failure_of = [&](auto&& fill) {
    {
      const hdf5::Handle file = hdf5::create_file(path, kStoreHeaderBytes);
      fill(file.get());
    }
    write_store_header(path);
    return failure(folder, tests::read_file(path));
  };
  CHECK(failure_of([](hid_t) {}) == "HDF5 cannot open a group");
  CHECK(failure_of([](hid_t file) {
          static_cast<void>(hdf5::create_group(file, "layers"));
          static_cast<void>(hdf5::create_group(file, "layers/conv"));
        }) == "has no attribute 'rows' where a store has one");
  CHECK(failure_of([](hid_t file) {
          const hdf5::Handle layers = hdf5::create_group(file, "layers");
          const hdf5::Handle conv = hdf5::create_group(file, "layers/conv");
          hdf5::write_attribute(conv.get(), "rows", std::int64_t{5});
          hdf5::write_texts(conv.get(), "gpu", {"a", "b"});
        }) == "column 'gpu' of kind 'conv' has not as many rows as the kind");
}

}  // namespace
}  // namespace layersim
