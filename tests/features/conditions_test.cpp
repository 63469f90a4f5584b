#include <catch2/catch.hpp>

#include "hwdb/device_db.h"
#include "sim/core/error.h"
#include "sim/features/conditions.h"
#include "sim/features/device_precisions.h"

using namespace layersim;

TEST_CASE("conditions are named as on the command line") {
  for (std::size_t i = 0; i < optimizer_names().size(); ++i) {
    const auto optimizer = static_cast<Optimizer>(i);
    CHECK(parse_optimizer(name(optimizer)) == optimizer);
  }
  for (std::size_t i = 0; i < precision_names().size(); ++i) {
    const auto precision = static_cast<Precision>(i);
    CHECK(parse_precision(name(precision)) == precision);
  }
  CHECK(parse_mode("training") == Mode::training);
  CHECK_FALSE(parse_mode("Training"));
}

TEST_CASE("a device has the precisions that its file has rates for, and stores fp16") {
  const DeviceDb db;
  const auto names_of = [&](const char* gpu) {
    const Device device = db.find(gpu);
    std::string names;
    for (std::size_t i = 0; i < precision_names().size(); ++i) {
      if (has_precision(device, static_cast<Precision>(i))) names.append(precision_names()[i]).append(" ");
    }
    return names;
  };
  CHECK(names_of("k80") == "fp64 fp32 fp16 ");
  CHECK(names_of("gtx1080ti") == "fp64 fp32 fp16 mixed int8 ");
  CHECK(names_of("v100-sxm2") == "fp64 fp32 fp16 mixed int8 ");
  CHECK(names_of("a100-sxm4-40gb") == "fp64 fp32 tf32 fp16 bf16 mixed int8 ");
  CHECK(names_of("h100-sxm") == "fp64 fp32 tf32 fp16 bf16 mixed fp8 int8 ");
  CHECK(names_of("cpu-epyc-9654") == "fp64 fp32 fp16 bf16 mixed int8 ");
  CHECK_NOTHROW(check_precision(db.find("k80"), Precision::fp16));
  CHECK_THROWS_WITH(check_precision(db.find("v100-sxm2"), Precision::bf16),
                    "v100-sxm2 has no bf16 by the facts of its file; it has fp64, fp32, fp16, mixed, int8");
}
