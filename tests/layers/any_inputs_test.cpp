// Every operator that a kind covers, with any number of inputs of any rank: a network or an error of the
// input, never an index behind the end of a shape or a list.

#include <array>

#include "network_from_text.h"

using namespace layersim;
using namespace layersim::tests;

namespace {

constexpr std::array<std::size_t, 5> kInputCounts{0, 1, 2, 3, 9};
constexpr std::size_t kRanks = 5;

// What most rules ask for, with values that small inputs can have.
std::vector<Attribute> usual_attributes(std::size_t rank) {
  const std::int64_t heads = 2;
  const std::vector<std::int64_t> window(rank > 2 ? rank - 2 : 0, 2);
  return {{"kernel_shape", window},
          {"num_heads", heads},
          {"q_num_heads", heads},
          {"kv_num_heads", heads},
          {"num_groups", heads},
          {"groups", heads},
          {"K", heads},
          {"N", heads},
          {"blocksize", heads},
          {"to", std::int64_t{1}},
          {"equation", std::string("...i,...i->...")}};
}

Graph network_of(const OperatorRule& rule, std::size_t inputs, std::size_t rank, std::size_t other_rank,
                 bool stored, bool with_attributes) {
  GraphBuilder builder("any", 20);
  std::vector<ValueId> ids;
  for (std::size_t i = 0; i < inputs; ++i) {
    const std::string name = "i" + std::to_string(i);
    const std::size_t own_rank = i == 0 ? rank : other_rank;
    if (i > 0 && stored) {
      ids.push_back(builder.weight(name, DType::f32, Shape(own_rank, 2)));
    } else {
      ids.push_back(builder.input(name, DType::f32, DeclaredShape(own_rank, DeclaredDim{2, ""})));
    }
  }
  const ValueId output = builder.node(std::string(rule.op), "y", ids,
                                      with_attributes ? usual_attributes(rank) : std::vector<Attribute>{}, 3,
                                      std::string(rule.domain));
  builder.output(output);
  return builder.take();
}

}  // namespace

TEST_CASE("no operator trips over few inputs, whatever their ranks") {
  std::size_t networks = 0;
  std::size_t refused = 0;
  for (const LayerKind* kind : layer_kinds()) {
    for (const OperatorRule& rule : kind->operators) {
      INFO(rule.domain << "::" << rule.op);
      for (std::size_t code = 0; code < kInputCounts.size() * kRanks * 6; ++code) {
        const std::size_t inputs = kInputCounts.at(code % kInputCounts.size());
        const std::size_t rank = code / kInputCounts.size() % kRanks;
        const std::size_t choice = code / kInputCounts.size() / kRanks;
        const std::size_t other_rank = std::array{std::size_t{0}, std::size_t{2}, rank}.at(choice % 3);
        const bool usual = choice / 3 != 0;
        Graph graph = network_of(rule, inputs, rank, other_rank, usual, usual);
        ++networks;
        try {
          static_cast<void>(decompose(std::move(graph), {}));
        } catch (const Error& error) {
          ++refused;
          if (error.kind() != ErrorKind::bad_input) FAIL_CHECK(error.what());
        } catch (const std::exception& error) {
          FAIL_CHECK(inputs << " inputs of ranks " << rank << " and " << other_rank << ": " << error.what());
        }
      }
    }
  }
  CHECK(refused > 0);
  CHECK(refused < networks);
}

TEST_CASE("a rank that an operator cannot take is named") {
  const std::pair<const char*, const char*> rows[]{
      {"input x f32 [4]\ny = MaxPool(x) {kernel_shape=[2]}",
       "node 'y' (MaxPool): input 0 (4) should have at least 3 axes"},
      {"input x f32 [4, 4, 4]\nweight w f32 [2, 2]\ny = Conv(x, w)",
       "input 1 (2x2) should have at least 3 axes"},
      {"input x f32 [4, 4]\nweight w f32 [1, 4, 4]\ny = LSTM(x, w, w)", "input 0 (4x4) should have 3 axes"},
      {"input x f32 [4, 4]\ny = Attention(x, x, x)", "input 0 (4x4) should have 3 to 4 axes"},
      {"input x f32 [4]\nweight s f32 [4]\ny = BatchNormalization(x, s, s, s, s)",
       "input 0 (4) should have at least 2 axes"},
      {"input x f32 []\nweight w f32 [4, 4]\ny = MatMul(x, w)",
       "input 0 (scalar) should have at least 1 axis"}};
  for (const auto& [network, message] : rows) {
    INFO(network);
    CHECK_THAT(error_of(std::string(network) + "\noutput y"), Catch::Contains(message));
  }
}

TEST_CASE("sums and sizes that leave 64 bits are errors of the input") {
  // 1,100 operands of 2^53 elements.
  std::string operands = "x";
  for (int i = 1; i < 1100; ++i) operands += ", x";
  CHECK_THAT(error_of("input x f32 [9007199254740992]\ny = Max(" + operands + ")\noutput y"),
             Catch::Contains("exceeds 64 bits"));
  CHECK_THAT(error_of("input x f32 [1, 4]\nweight w u8 [4, 1, 8]\n"
                      "y = com.microsoft::MatMulNBits(x, w) {K=4, N=4611686018427387904}\noutput y"),
             Catch::Contains("attributes K and N are 4 and 4611686018427387904"));
}
