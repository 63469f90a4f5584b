#include "sim/store/flag_columns.h"

#include <catch2/catch.hpp>

#include "layers/layer_kind.h"
#include "sim/store/column.h"

namespace layersim {
namespace {

TEST_CASE("Flags of layers are flag columns, and nothing else that layers have") {
  for (const LayerKind* kind : layer_kinds()) {
    for (const Parameter& parameter : kind->parameters) {
      INFO(kind->name << " " << parameter.name);
      CHECK(is_flag_column(parameter.name) == (parameter.unit == "flag"));
    }
  }
}

TEST_CASE("A flag is 0 or 1, or missing") {
  for (const char* const field : {"", "0", "1", "1.0"}) CHECK_NOTHROW(check_flag(field));
  for (const char* const field : {"7", "-1", "0.5", "yes"})
    CHECK_THROWS_WITH(check_flag(field), "'" + std::string(field) + "' is neither 0 nor 1");
}

}  // namespace
}  // namespace layersim
