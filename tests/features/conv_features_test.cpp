#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "hwdb/device_db.h"
#include "sim/features/device_numbers.h"
#include "sim/features/feature_family.h"
#include "tests/conv_problem.h"

using namespace layersim;

namespace {

// A feature of a 3x3 convolution with 96 channels on 28x28 pixels.
float feature(std::string_view name, std::int64_t batch, std::int64_t groups) {
  static const Device kDevice = DeviceDb().find("v100-sxm2");
  const Problem problem = tests::conv3x3(batch, 28, 96, groups);
  const LayerWork work = problem.kind->work(problem);
  const FeatureFamily& family = *find_feature_family("conv");
  std::vector<float> features(family.features.size()), terms(family.terms.size());
  const Conditions conditions{.device = &kDevice};
  family.fill({.layer = {.problem = &problem, .work = &work}}, DeviceNumbers(conditions), features.data(),
              terms.data());
  for (std::size_t i = 0; i < features.size(); ++i) {
    if (family.features[i].name == name) return features[i];
  }
  FAIL("there is no feature " << name);
  return 0;
}

}  // namespace

TEST_CASE("convolution features: tiles fill waves of the device, but not those of grouped convolutions") {
  for (const char* const tiles : {"128x32", "128x128", "winograd"}) {
    const std::string fill = std::string("wave_fill_") + tiles, waves = std::string("log_waves_") + tiles;
    // 11 images take about as many tiles as 12, and leave more of the last wave empty or less.
    CHECK(feature(fill, 11, 1) != feature(fill, 12, 1));
    CHECK(feature(waves, 24, 1) > feature(waves, 12, 1));
    for (const std::int64_t batch : {11, 12, 64}) {
      CHECK(feature(fill, batch, 96) == 1);
      CHECK(feature(waves, batch, 96) == 0);
    }
  }
}
