#pragma once
// The graph's text form, for tests, error reports and small networks written by hand. One statement a line, #
// comments:
//
//   network mlp opset 17
//   input x f32 [N, 784]
//   weight w1 f32 [784, 128]
//   constant axes i64 [1] = {1}
//   h = MatMul(x, w1)
//   y, mask = Dropout(h) {ratio=0.5} name "drop1"
//   z = com.microsoft::Gelu(y)
//   info z f32 [N, 128]          # value_info of a computed value
//   output z
//
// An absent input is written _. Attributes: 1, 0.5, "text", [1, 2], [0.5], ["a"].

#include <string>
#include <string_view>

#include "sim/graph/graph.h"

namespace layersim {

// Throws bad_input with the line number.
[[nodiscard]] Graph parse_graph_text(std::string_view text);
// Text that parse_graph_text reads back to the same graph. Values with names that the form cannot spell are
// renamed; scopes of control flow are printed as comments and do not survive.
[[nodiscard]] std::string to_text(const Graph& graph);

}  // namespace layersim
