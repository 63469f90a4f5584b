#pragma once
// Few networks have some of the layers that stream tensors (slices, reductions of one kind), and what else
// these networks spend time on is learned as theirs. With a tensor of another size or on another device that
// would be absurd.

namespace layersim {

// The time of a part of the family "streaming" held between half and ten times what the data sheet allows for
// its traffic, or up to 0.05 ms, a gradient to 1 ms. `ms`, `sheet_ms`: without the launch.
[[nodiscard]] double limited_stream_ms(double ms, double sheet_ms, bool is_gradient);

}  // namespace layersim
