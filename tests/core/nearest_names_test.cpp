#include "sim/core/nearest_names.h"

#include <catch2/catch.hpp>

using namespace layersim;

TEST_CASE("edit_distance counts insertions, deletions, substitutions and swaps") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("v100", "v10") == 1);
  CHECK(edit_distance("v100", "v010") == 1);
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance("abc", "cab") == 2);
}

TEST_CASE("nearest_names gives the nearest first") {
  const std::vector<std::string> names{"vgg16", "resnet18", "resnet50", "vgg19"};
  CHECK(nearest_names("resnet51", names, 2) == std::vector<std::string>{"resnet50", "resnet18"});
  CHECK(nearest_names("resnet", names, 2) == std::vector<std::string>{"resnet18", "resnet50"});
  CHECK(nearest_names("vgg", names, 9) == std::vector<std::string>{"vgg16", "vgg19"});
  CHECK(nearest_names(std::string(1 << 20, 'x'), names, 1).empty());
}

TEST_CASE("what is far off is no suggestion") {
  const std::vector<std::string> names{"vgg16", "resnet18"};
  CHECK(nearest_names("zzzzzzzzzz", names, 3).empty());
  CHECK(suggest("; is it ", nearest_names("zzzzzzzzzz", names, 3)).empty());
  CHECK(suggest("; is it ", {"a", "b", "c"}) == "; is it a, b or c");
}
