#include "sim/core/own_file.h"

#include <catch2/catch.hpp>

using namespace layersim;

TEST_CASE("the file of another command is told by its first line") {
  CHECK_THROWS_WITH(refuse_own_file("layersim hybrid predictor\nschema_version 2\n"),
                    "is a predictor of the method hybrid: `hybrid predict --predictor` takes it");
  CHECK_THROWS_WITH(refuse_own_file("layersim store"),
                    "is a store of measured rows: `train`, `evaluate` and `data` take it");
  CHECK_NOTHROW(refuse_own_file("layersim store of old\n"));
  CHECK_NOTHROW(refuse_own_file("gpu,mode\n"));
  CHECK_NOTHROW(refuse_own_file(""));
}
