// Operators of a graph as calls of libtorch: values against formulas, gradients of whole networks, refusals.

#include <ATen/Functions.h>
#include <torch/autograd.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "sampler/network/torch/graph_program.h"
#include "sampler/network/torch/node_times.h"
#include "sampler/network/torch/torch_error.h"
#include "sampler/network/torch/weight_update.h"
#include "tests/network_from_text.h"

using namespace layersim;
using namespace layersim::tests;

// libtorch keeps what its static tables hold.
extern "C" const char* __asan_default_options();  // NOLINT: name by AddressSanitizer
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }  // NOLINT

namespace {

// The numbers of the only output; weights that the text gives as constants have those contents.
std::vector<double> results(std::string_view text, bool training = false) {
  const Network network = take_apart(text);
  const GraphProgram program(network.graph, "cpu", training, 1);
  const at::Tensor output = program.forward().at(0).detach().to(at::kDouble).contiguous();
  return {output.data_ptr<double>(), output.data_ptr<double>() + output.numel()};
}

// Inputs are random: they are made known by multiplying with 0 and adding a constant.
constexpr const char* kKnown = R"(
input x f32 [1, 1, 2, 2]
constant zero f32 [1] = {0}
constant numbers f32 [1, 1, 2, 2] = {1.5, -2.5, 3.5, 4.5}
none = Mul(x, zero)
k = Add(none, numbers)
)";

std::vector<double> of_known(const std::string& rest) { return results(kKnown + rest + "\noutput y"); }

void check_near(const std::vector<double>& actual, const std::vector<double>& expected) {
  REQUIRE(actual.size() == expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) CHECK(actual[i] == Approx(expected[i]).margin(1e-5));
}

std::string refusal(std::string_view text) {
  const Network network = take_apart(text);
  try {
    const GraphProgram program(network.graph, "cpu", false, 1);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::nothing_predicted);
    return error.what();
  }
  return "runs";
}

}  // namespace

TEST_CASE("element-wise operators give the values of their formulas") {
  check_near(of_known("y = Relu(k)"), {1.5, 0, 3.5, 4.5});
  check_near(of_known("y = Sigmoid(k)"), {1 / (1 + std::exp(-1.5)), 1 / (1 + std::exp(2.5)),
                                          1 / (1 + std::exp(-3.5)), 1 / (1 + std::exp(-4.5))});
  check_near(of_known("constant two f32 [] = {2}\ny = Pow(k, two)"), {2.25, 6.25, 12.25, 20.25});
  check_near(of_known("y = LeakyRelu(k) {alpha=0.5}"), {1.5, -1.25, 3.5, 4.5});
  check_near(of_known("y = Max(k, numbers, zero)"), {1.5, 0, 3.5, 4.5});
}

TEST_CASE("windows pad, stride and pool as ONNX says") {
  check_near(of_known("constant w f32 [1, 1, 2, 2] = {1, 2, 3, 4}\ny = Conv(k, w)"), {1.5 - 5 + 10.5 + 18});
  // One column of zeros on the right alone.
  check_near(of_known("constant w f32 [1, 1, 2, 2] = {1, 2, 3, 4}\ny = Conv(k, w) {pads=[0, 0, 0, 1]}"),
             {1.5 - 5 + 10.5 + 18, -2.5 + 13.5});
  check_near(of_known("y = MaxPool(k) {kernel_shape=[1, 2]}"), {1.5, 4.5});
  check_near(of_known("y = GlobalAveragePool(k)"), {1.75});
  check_near(of_known("constant w f32 [1, 1, 1, 2] = {1, 10}\ny = ConvTranspose(k, w)"),
             {1.5, 12.5, -25, 3.5, 39.5, 45});
}

TEST_CASE("products take their operands as the file lays them out") {
  check_near(of_known("constant w f32 [2, 3] = {1, 0, 2, 0, 1, 3}\ny = MatMul(k, w)"),
             {1.5, -2.5, -4.5, 3.5, 4.5, 20.5});
  check_near(of_known("constant flat i64 [2] = {2, 2}\nconstant w f32 [1, 2] = {1, 2}\n"
                      "constant b f32 [1] = {0.25}\nm = Reshape(k, flat)\ny = Gemm(m, w, b) {transB=1}"),
             {-3.25, 12.75});
}

TEST_CASE("layouts move what they say") {
  check_near(of_known("y = Transpose(k) {perm=[0, 1, 3, 2]}"), {1.5, 3.5, -2.5, 4.5});
  check_near(of_known("constant s i64 [1] = {1}\nconstant e i64 [1] = {2}\nconstant a i64 [1] = {3}\n"
                      "y = Slice(k, s, e, a)"),
             {-2.5, 4.5});
  check_near(of_known("constant p i64 [8] = {0, 0, 0, 0, 0, 0, 0, 1}\ny = Pad(k, p)"),
             {1.5, -2.5, 0, 3.5, 4.5, 0});
  check_near(of_known("constant i i64 [] = {1}\ny = Gather(k, i) {axis=2}"), {3.5, 4.5});
}

TEST_CASE("reductions and softmax go over their axes") {
  check_near(of_known("y = ReduceMean(k) {axes=[3], keepdims=0}"), {-0.5, 4});
  const double e = std::exp(1.0);
  check_near(of_known("y = Softmax(k) {axis=3}"),
             {1 / (1 + std::exp(-4.0)), 1 / (1 + std::exp(4.0)), 1 / (1 + e), e / (1 + e)});
}

TEST_CASE("an LSTM gives the value of its equations") {
  // One step, one feature, one hidden number, all weights 0.5 and biases 0: every gate sees 0.5 x.
  const auto value = results(R"(
input z f32 [1, 1, 1]
constant zero f32 [1] = {0}
constant two f32 [1] = {2}
none = Mul(z, zero)
x = Add(none, two)
constant w f32 [1, 4, 1] = {0.5, 0.5, 0.5, 0.5}
constant r f32 [1, 4, 1] = {0.5, 0.5, 0.5, 0.5}
y = LSTM(x, w, r) {hidden_size=1}
output y)");
  const double gate = 1 / (1 + std::exp(-1.0));
  check_near(value, {gate * std::tanh(gate * std::tanh(1.0))});
}

TEST_CASE("batch norms use the statistics of the batch in training, the stored ones else") {
  constexpr const char* kNorm = R"(
input x f32 [4, 2, 3]
weight s f32 [2]
weight b f32 [2]
weight m f32 [2]
weight v f32 [2]
n = BatchNormalization(x, s, b, m, v)
y = ReduceMean(n) {axes=[0, 1, 2], keepdims=0}
output y)";
  // Scale and shift are ones: normalized by its own mean, the mean of the batch is the shift.
  check_near(results(kNorm, true), {1});
  CHECK(results(kNorm, false)[0] != Approx(1).margin(1e-5));
}

TEST_CASE("node by node, gradients are those of a whole backward pass") {
  const Network network = take_apart(R"(
input x f32 [2, 3, 8, 8]
weight w f32 [4, 3, 3, 3]
weight d f32 [4, 5]
a = Conv(x, w) {pads=[1, 1, 1, 1]}
r = Relu(a)
t = Sigmoid(a)
s = Add(r, t)
p = GlobalAveragePool(s)
f = Flatten(p)
y = MatMul(f, d)
output y)");
  const GraphProgram program(network.graph, "cpu", true, 1);
  std::vector<at::Tensor> weights;
  for (const ProgramStep& step : program.steps())
    weights.insert(weights.end(), step.weights.begin(), step.weights.end());
  REQUIRE(weights.size() == 2);
  mean_loss(program.forward()).backward();
  std::vector<at::Tensor> expected;
  for (at::Tensor& weight : weights) {
    expected.push_back(weight.grad().clone());
    weight.mutable_grad().reset();
  }
  WeightUpdate nothing(program, Optimizer::none);
  const auto times = time_training(program, nothing);
  CHECK(times.size() == network.graph.nodes.size());
  for (std::size_t i = 0; i < weights.size(); ++i) CHECK(at::allclose(weights[i].grad(), expected[i]));
}

TEST_CASE("indices that are fed lie within the table") {
  CHECK(results(R"(
input tokens i64 [64]
weight table f32 [3, 2]
y = Gather(table, tokens)
output y)")
            .size() == 128);
}

TEST_CASE("what cannot be run is refused by node and operator") {
  CHECK(refusal("input x f32 [2, 3]\ny = Det(x) name \"odd\"\noutput y").find("node 'odd' (Det)") !=
        std::string::npos);
  CHECK(refusal(R"(
input x f32 [2, 1, 3]
weight w f32 [1, 6, 3]
weight r f32 [1, 6, 2]
y = GRU(x, w, r) {hidden_size=2} name "gru"
output y)")
            .find("linear_before_reset") != std::string::npos);
}

TEST_CASE("a device that is not here is wrong use") {
  const Network network = take_apart("input x f32 [2]\ny = Exp(x)\noutput y");
  CHECK_THROWS_WITH(GraphProgram(network.graph, "cpus", false, 1), Catch::Contains("--device: 'cpus'"));
  CHECK_THROWS_WITH(GraphProgram(network.graph, "cuda:77", false, 1), Catch::Contains("no device 'cuda:77'"));
}

TEST_CASE("what libtorch throws is one line of ours") {
  const auto no_memory = [] { TORCH_CHECK(false, "DefaultCPUAllocator: can't allocate memory"); };
  CHECK_THROWS_WITH(with_torch_errors(no_memory), "does not fit into memory; try a smaller --batch");
  CHECK_THROWS_WITH(with_torch_errors([] { throw std::bad_alloc(); }),
                    "does not fit into memory; try a smaller --batch");
  CHECK_THROWS_WITH(with_torch_errors([] { TORCH_CHECK(false, "no such kernel\nstack"); }),
                    "libtorch cannot run it: no such kernel");
}
