// Trees and dense networks as the program runs them, against what made them.

#include "sim/methods/common/forest.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "sim/core/error.h"
#include "sim/methods/common/dense_network.h"
#include "trainers/xgboost_module.h"

using namespace layersim;

namespace {

// y = 3 where x0 > 0.5, else 1; x1 is noise.
struct Steps {
  Matrix features;
  std::vector<float> values;

  Steps() {
    std::mt19937_64 random(5);
    std::uniform_real_distribution<float> uniform(0, 1);
    for (int i = 0; i < 400; ++i) {
      const std::vector<float> row{uniform(random), uniform(random)};
      features.add_row(row);
      values.push_back(row[0] > 0.5F ? 3.0F : 1.0F);
    }
  }
};

}  // namespace

TEST_CASE("forests by XGBoost: random and boosted") {
  const Steps steps;
  const Forest random_forest = load_tree_trainer().train(steps.features, steps.values, {});
  TreeOptions boosting;
  boosting.rounds = 40;
  boosting.trees_a_round = 1;
  boosting.learning_rate = 0.3;
  boosting.depth = 3;
  boosting.feature_share = 1;
  const Forest boosted = load_tree_trainer().train(steps.features, steps.values, boosting);
  for (const Forest& forest : {random_forest, boosted}) {
    CHECK(forest.predict(std::vector<float>{0.9F, 0.5F}) == Approx(3).epsilon(0.1));
    CHECK(forest.predict(std::vector<float>{0.1F, 0.5F}) == Approx(1).epsilon(0.2));
  }
  CHECK(random_forest.roots.size() == 60);
  CHECK(boosted.roots.size() == 40);

  ArrayGroup group;
  store_forest(group, "f", boosted);
  const Forest loaded = load_forest(group, "f", 2);
  CHECK(loaded.predict(std::vector<float>{0.3F, 0.2F}) == boosted.predict(std::vector<float>{0.3F, 0.2F}));
  CHECK_THROWS_AS(load_forest(group, "f", 1), Error);  // the trees read the second feature
  group.arrays["f_nodes"].values[2] = 0;               // a node that is its own child
  group.arrays["f_nodes"].values[0] = 0;
  CHECK_THROWS_AS(load_forest(group, "f", 2), Error);
}

TEST_CASE("a dense network applies ReLU between its layers and clamps far features") {
  DenseNetwork network;
  network.members = {{{2, 2, {1, 0, 0, 1}, {0, -1}}, {2, 1, {2, 3}, {0.5F}}}};
  CHECK(network.predict(std::vector<float>{2, 3}) == Approx(2 * 2 + 3 * 2 + 0.5));
  CHECK(network.predict(std::vector<float>{-2, 0}) == Approx(0.5));
  const Normalisation normalisation{{10, 0}, {2, 1}};
  CHECK(normalisation.apply(std::vector<float>{12, 50}) == std::vector<float>{1, 3});
  ArrayGroup group;
  store_dense_network(group, "d", network);
  CHECK(load_dense_network(group, "d", 2).predict(std::vector<float>{2, 3}) ==
        Approx(network.predict(std::vector<float>{2, 3})));
  CHECK_THROWS_AS(load_dense_network(group, "d", 3), Error);
}
