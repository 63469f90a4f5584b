#include "sim/features/distinct_queries.h"

#include "network_from_text.h"
#include "sim/features/network_queries.h"

using namespace layersim;
using namespace layersim::tests;

namespace {

constexpr const char* kNetwork = R"(
input x f32 [2, 8, 6, 6]
weight a f32 [8, 8, 3, 3]
weight b f32 [8, 8, 3, 3]
weight c f32 [8, 8, 3, 3]
weight wide f32 [16, 8, 3, 3]
k = Conv(x, a) {pads=[1, 1, 1, 1]}
l = Conv(k, b) {pads=[1, 1, 1, 1]}
m = Conv(l, c) {pads=[1, 1, 1, 1]}
n = custom::Op(m)
o = custom::Op(n)
info o f32 [2, 8, 6, 6]
p = Conv(o, c) {pads=[1, 1, 1, 1]}
q = Conv(p, wide) {pads=[1, 1, 1, 1]}
output q)";

}  // namespace

TEST_CASE("equal layers are asked once, in the place of each") {
  const Network network = take_apart(kNetwork);
  const std::vector<LayerQuery> queries = make_queries(network);
  REQUIRE(queries.size() == 7);
  const DistinctQueries distinct = distinct_queries(queries);
  // The first has no gradient of its input; p shares its weight, so that it updates nothing; operators
  // without a model stay apart.
  CHECK(distinct.place == std::vector<std::size_t>{0, 1, 1, 2, 3, 4, 5});
  CHECK(distinct.queries.size() == 6);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const LayerQuery& same = distinct.queries[distinct.place[i]];
    CHECK(same.problem->sizes == queries[i].problem->sizes);
    CHECK(same.work->forward.flop == queries[i].work->forward.flop);
    CHECK(same.work->backward_weight.flop == queries[i].work->backward_weight.flop);
    CHECK(same.learned_elements == queries[i].learned_elements);
  }
}
