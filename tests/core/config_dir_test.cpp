#include "sim/core/config_dir.h"

#include <catch2/catch.hpp>
#include <cstdlib>

#include "sim/core/error.h"

using namespace layersim;

TEST_CASE("the configs folder is that of the sources unless the environment names one") {
  REQUIRE(unsetenv("LAYERSIM_CONFIG_DIR") == 0);
  CHECK(config_dir() == std::filesystem::path(LAYERSIM_SOURCE_DIR) / "configs");
  const auto other = std::filesystem::temp_directory_path();
  REQUIRE(setenv("LAYERSIM_CONFIG_DIR", other.c_str(), 1) == 0);
  CHECK(config_dir() == other);
  REQUIRE(setenv("LAYERSIM_CONFIG_DIR", (other / "layersim-no-such-folder").c_str(), 1) == 0);
  CHECK_THROWS_WITH(config_dir(),
                    Catch::Matchers::Contains("layersim-no-such-folder, which is not a folder"));
  REQUIRE(unsetenv("LAYERSIM_CONFIG_DIR") == 0);
}
