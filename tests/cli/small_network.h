#pragma once
// A network of four layers in text form: 216 + 81,920 parameters.

namespace layersim::tests {

inline constexpr const char* kSmallNetwork = R"(network small opset 17
input x f32 [N, 3, 32, 32]
weight w1 f32 [8, 3, 3, 3]
weight w2 f32 [8192, 10]
a = Conv(x, w1) {pads=[1, 1, 1, 1]} name "conv"
b = Relu(a) name "relu"
c = Flatten(b) name "flat"
y = MatMul(c, w2) name "fc"
output y
)";

}  // namespace layersim::tests
