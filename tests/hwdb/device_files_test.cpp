// The device files that come with the program, all together.

#include <catch2/catch.hpp>
#include <set>

#include "hwdb/device_db.h"

using namespace layersim;

TEST_CASE("every device is plausible") {
  DeviceDb db;
  for (const Device& device : db.all()) {
    INFO(device.key);
    CHECK(device.peak_fp32_gflops > 400);
  }
}
