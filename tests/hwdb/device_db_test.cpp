#include "hwdb/device_db.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "sim/core/config_dir.h"
#include "sim/core/error.h"

using namespace layersim;
using Catch::Matchers::Contains;

namespace {

// A folder of its own for the files of one test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "layersim-hwdb-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

void copy_device(const std::string& key, const std::filesystem::path& to) {
  std::filesystem::copy_file(config_dir() / "gpus" / (key + ".json"), to);
}

}  // namespace

TEST_CASE("spelling of a device's name does not count") {
  CHECK(canonical_device_name("NVIDIA GeForce RTX 2080 Ti") == "rtx2080ti");
  CHECK(canonical_device_name("RTX2080Ti") == "rtx2080ti");
  CHECK(canonical_device_name("Tesla V100-SXM2-16GB") == "v100sxm216gb");
  CHECK(canonical_device_name("Intel(R) Xeon(R) CPU E5-2630 v3 @ 2.40GHz") == "xeoncpue52630v3240ghz");
  CHECK(canonical_device_name("nvidia") == "nvidia");
  CHECK(canonical_device_name("") == "");
}

TEST_CASE("a device is found by key and by alias") {
  const DeviceDb db;
  const std::vector<std::pair<std::string, std::string>> names{
      // clang-format off
      {"k80", "k80"},
      {"K80", "k80"},
      {"Tesla K80", "k80"},
      {"V100", "v100-sxm2"},
      {"Tesla V100-SXM2-16GB", "v100-sxm2"},
      {"V100-SXM2-32GB", "v100-sxm2-32gb"},
      {"Tesla V100-PCIE-32GB", "v100-pcie-32gb"},
      {"NVIDIA GeForce RTX 2080 Ti", "rtx2080ti"},
      {"RTX2080Ti", "rtx2080ti"},
      {"rtx 2080", "rtx2080"},
      {"NVIDIA A100 80GB PCIe", "a100-pcie-80gb"},
      {"A100-PCIE-40GB", "a100-pcie-40gb"},
      {"A100-SXM4-40GB", "a100-sxm4-40gb"},
      {"A100", "a100-sxm4-40gb"},
      {"NVIDIA H100 80GB HBM3", "h100-sxm"},
      {"NVIDIA H100 PCIe", "h100-pcie"},
      {"Tesla P100-PCIE-16GB", "p100-pcie"},
      {"GeForce GTX TITAN X", "titan-x-maxwell"},
      {"NVIDIA TITAN X (Pascal)", "titan-x-pascal"},
      {"NVIDIA TITAN Xp", "titan-xp"},
      {"Quadro RTX 6000", "quadro-rtx6000"},
      {"NVIDIA RTX 6000 Ada Generation", "rtx6000ada"},
      {"RTX A6000", "rtx-a6000"},
      {"AMD Instinct MI250", "mi250"},
      {"Radeon Instinct MI25", "mi25"},
      {"Radeon RX Vega 64", "vega64"},
      {"Intel(R) Xeon(R) Gold 6148 CPU @ 2.40GHz", "cpu-xeon-gold-6148"},
      {"AMD EPYC 7763 64-Core Processor", "cpu-epyc-7763"},
      {"p2.xlarge", "k80"},
      {"g3s.xlarge", "m60"},
      {"g4dn.xlarge", "t4"},
      {"p3.2xlarge", "v100-sxm2"},
      {"p3dn.24xlarge", "v100-sxm2-32gb"},
      {"g5.xlarge", "a10g"},
      {"g6.xlarge", "l4"},
      {"g6e.xlarge", "l40s"},
      {"p4d.24xlarge", "a100-sxm4-40gb"},
      {"p4de.24xlarge", "a100-sxm4-80gb"},
      {"p5.48xlarge", "h100-sxm"},
      {"Standard_NC6", "k80"},
      {"Standard_NC6s_v3", "v100-pcie-16gb"},
      {"Standard_ND96isr_H100_v5", "h100-sxm"},
      {"NC24ads A100 v4", "a100-pcie-80gb"},
      {"a2-highgpu-1g", "a100-sxm4-40gb"},
      {"a2-ultragpu-1g", "a100-sxm4-80gb"},
      {"g2-standard-4", "l4"},
      // clang-format on
  };
  for (const auto& [name, key] : names) {
    INFO(name);
    CHECK(db.find(name).key == key);
  }
}

TEST_CASE("an unknown device is an error with the nearest names") {
  const DeviceDb db;
  for (const std::string name : {"k81", "", "../gpus/k80", "k80.json", "TITAN X"}) {
    INFO(name);
    try {
      (void)db.find(name);
      FAIL("found");
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::bad_use);
      CHECK_THAT(error.what(), Contains("no device is named '" + name + "'"));
    }
  }
  CHECK_THROWS_WITH(db.find("k81"), Contains("k80"));
  CHECK_THROWS_WITH(db.find("h1oo-sxm"), Contains("nearest are h100-sxm"));
  CHECK_THROWS_WITH(db.find("TITAN X"), Contains("titan-x-maxwell") && Contains("titan-x-pascal"));
  CHECK_THROWS_WITH(db.find(std::string(100000, 'k')), !Contains("the nearest are"));
}

TEST_CASE("a folder of devices is checked as a whole") {
  const TemporaryFolder folder;
  copy_device("k80", folder.path() / "k80.json");
  CHECK(DeviceDb(folder.path()).all().size() == 1);
  std::ofstream(folder.path() / "notes.txt") << "not a device";
  CHECK(DeviceDb(folder.path()).all().size() == 1);

  copy_device("k80", folder.path() / "other.json");
  CHECK_THROWS_WITH(DeviceDb(folder.path()).all(), Contains("other.json: key 'k80' is not the file's name"));
  CHECK_THROWS_WITH(DeviceDb(folder.path()).find("other"), Contains("is not the file's name"));
  std::filesystem::remove(folder.path() / "other.json");

  std::ifstream k40(config_dir() / "gpus" / "k40.json");
  std::string text{std::istreambuf_iterator<char>(k40), {}};
  const std::string alias = "\"aliases\": [";
  text.replace(text.find(alias), alias.size(), alias + "\"P2 XLarge\", ");
  std::ofstream(folder.path() / "k40.json") << text;
  CHECK_THROWS_WITH(DeviceDb(folder.path()).all(),
                    Contains("devices 'k40' and 'k80' are both named 'p2.xlarge'"));

  CHECK_THROWS_WITH(DeviceDb(folder.path()).find("g3s.xlarge"), Contains("are both named"));
  CHECK(DeviceDb(folder.path()).find("k80").key == "k80");

  CHECK_THROWS_WITH(DeviceDb(folder.path() / "absent").all(), Contains("cannot be read"));
}
