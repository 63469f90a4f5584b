#pragma once
// A loop on several threads.

#include <cstddef>
#include <functional>

namespace layersim {

// As many as the machine runs at once, at least 1.
[[nodiscard]] int hardware_threads();

// Calls body(0) ... body(count - 1), each once, on at most `threads` threads; returns when all are done. What
// a body throws is thrown again here, the one with the lowest index first; bodies not begun by then are left
// out.
void parallel_for(std::size_t count, int threads, const std::function<void(std::size_t)>& body);

}  // namespace layersim
