#pragma once
// Which axis of each input of a network is the batch. Files do not say so; the rule is:
//
//   1. A symbol named like a batch (batch, batch_size, N, B, bs ...) is the batch wherever it stands, symbols
//   of first axes
//      before others, so that of x[B, N, 3] only B is it.
//   2. Without such a name: the first symbolic first axis, and all axes with the same symbol; first axes
//   without a name count
//      with it. A symbol named like a length (seq_len, time ...) is none.
//   3. Without symbols: the first axis of the first input, and that of each input that has the same size
//   there.
//
// An input that a recurrent operator reads directly with the time axis first, or as its initial state, has
// the batch in axis 1 for rules 2 and 3.

#include <cstddef>
#include <optional>
#include <vector>

#include "sim/graph/graph.h"

namespace layersim {

// For each of graph.inputs: the batch axis, or nothing.
[[nodiscard]] std::vector<std::optional<std::size_t>> find_batch_axes(const Graph& graph);

}  // namespace layersim
