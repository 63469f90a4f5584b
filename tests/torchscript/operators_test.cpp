// Programs as the reader would give them: needs no libtorch.

#include <catch2/catch.hpp>

#include "sim/core/error.h"
#include "sim/import/torchscript/converter.h"

using namespace layersim;
using Catch::Contains;

namespace {

// A program of one tensor input, built call by call.
class ProgramBuilder {
 public:
  ProgramBuilder() {
    program_.arguments.push_back({"x", TorchArgument::Kind::tensor, "Tensor", false, {}, {}});
    program_.body.inputs.push_back(program_.value_count++);
  }
  TorchValueId constant(TorchLiteral literal) {
    program_.body.nodes.push_back({"prim::Constant", "", {}, {program_.value_count}, {}, std::move(literal)});
    return program_.value_count++;
  }
  TorchValueId integer(std::int64_t number) {
    TorchLiteral literal;
    literal.kind = TorchLiteral::Kind::integer;
    literal.integer = number;
    return constant(literal);
  }
  TorchValueId ints(const std::vector<std::int64_t>& numbers) {
    TorchLiteral literal;
    literal.kind = TorchLiteral::Kind::list;
    for (const std::int64_t number : numbers) {
      TorchLiteral item;
      item.kind = TorchLiteral::Kind::integer;
      item.integer = number;
      literal.elements.push_back(item);
    }
    return constant(literal);
  }
  TorchValueId none() { return constant({}); }
  TorchValueId call(std::string kind, std::vector<TorchValueId> inputs) {
    program_.body.nodes.push_back({std::move(kind), "", std::move(inputs), {program_.value_count}, {}, {}});
    return program_.value_count++;
  }
  Graph convert(TorchValueId output, Shape input) {
    program_.body.outputs = {output};
    ShapeBindings bindings;
    bindings.inputs[""] = std::move(input);
    Warnings warnings;
    return TorchConverter(program_, bindings, warnings).convert();
  }

 private:
  TorchProgram program_;
};

std::string output_shape(ProgramBuilder& program, TorchValueId output, Shape input) {
  const Graph graph = program.convert(output, std::move(input));
  const auto& shape = graph.value(graph.outputs.at(0)).tensor.shape;
  return shape ? to_string(*shape) : "unknown";
}

}  // namespace

TEST_CASE("operators of TorchScript give the shapes that PyTorch gives") {
  ProgramBuilder p;
  SECTION("transpose counts axes from the end") {
    CHECK(output_shape(p, p.call("aten::transpose", {0, p.integer(-2), p.integer(-1)}), {2, 3, 4}) ==
          "2x4x3");
  }
  SECTION("view by sizes that the code reads") {
    const auto batch = p.call("aten::size", {0, p.integer(0)});
    const auto half = p.call("aten::floordiv", {batch, p.integer(2)});
    const auto sizes = p.call("prim::ListConstruct", {half, p.integer(-1)});
    CHECK(output_shape(p, p.call("aten::view", {0, sizes}), {8, 3, 4}) == "4x24");
  }
  SECTION("adaptive pooling to any size") {
    CHECK(output_shape(p, p.call("aten::adaptive_avg_pool2d", {0, p.ints({3, 5})}), {1, 2, 7, 11}) ==
          "1x2x3x5");
  }
  SECTION("chunks of unequal size") {
    const auto parts = p.call("aten::chunk", {0, p.integer(3), p.integer(1)});
    CHECK(output_shape(p, p.call("aten::__getitem__", {parts, p.integer(-1)}), {2, 8}) == "2x2");
  }
  SECTION("mean over the last two axes") {
    const auto keep = p.integer(0);
    CHECK(output_shape(p, p.call("aten::mean", {0, p.ints({-1, -2}), keep, p.none()}), {2, 3, 4, 5}) ==
          "2x3");
  }
  SECTION("padding begins with the last axis") {
    CHECK(output_shape(p, p.call("aten::constant_pad_nd", {0, p.ints({1, 2}), p.integer(0)}), {2, 4}) ==
          "2x7");
  }
  SECTION("a slice without an end") {
    CHECK(output_shape(p, p.call("aten::slice", {0, p.integer(1), p.integer(2), p.none(), p.integer(3)}),
                       {2, 10}) == "2x3");
  }
  SECTION("stack and select") {
    const auto list = p.call("prim::ListConstruct", {0, 0, 0});
    const auto stacked = p.call("aten::stack", {list, p.integer(1)});
    CHECK(output_shape(p, p.call("aten::select", {stacked, p.integer(2), p.integer(0)}), {2, 4, 5}) ==
          "2x3x5");
  }
}

TEST_CASE("a TorchScript condition that shapes decide leaves no branch") {
  ProgramBuilder p;
  const auto rank = p.call("aten::dim", {0});
  const auto flat = p.call("aten::lt", {rank, p.integer(3)});
  const auto number = p.call("aten::Int", {flat});
  const Graph graph = p.convert(p.call("aten::unsqueeze", {0, number}), {2, 3});
  CHECK(graph.scopes.size() == 1);
  CHECK(*graph.value(graph.outputs.at(0)).tensor.shape == Shape{2, 1, 3});
}

TEST_CASE("a change in place is seen by later readers") {
  ProgramBuilder p;
  static_cast<void>(p.call("aten::relu_", {0}));
  const Graph graph = p.convert(p.call("aten::tanh", {0}), {2, 3});
  REQUIRE(graph.nodes.size() == 2);
  CHECK(graph.nodes[0].op == "Relu");
  CHECK(graph.nodes[1].inputs == graph.nodes[0].outputs);
}

TEST_CASE("a list item that is not there is an error") {
  ProgramBuilder p;
  const auto list = p.ints({1, 2});
  const auto third = p.call("aten::__getitem__", {list, p.integer(2)});
  CHECK_THROWS_WITH(p.convert(third, {2}), Contains("item 2 of a list of 2"));
}
