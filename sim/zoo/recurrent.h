#pragma once
// Recurrent layers of the zoo. Sequences are [S, N, C], as ONNX has them.

#include <string>

#include "sim/zoo/blocks.h"

namespace layersim::zoo {

enum class Recurrent : unsigned char { lstm, gru };

// [S, N, C] -> [S, directions, N, hidden].
Features recurrent(Net& net, const std::string& name, Recurrent type, Features x, std::int64_t hidden,
                   bool bidirectional);

}  // namespace layersim::zoo
