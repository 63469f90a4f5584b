#pragma once
// Memory of the host that is freed stays with the process, for the next tensor of its size. As it comes, the
// C library gives large blocks back to the system and gets them again, page by page, at costs above that of
// most layers, for some blocks and not for others: the same layer then takes six times as long or not, as the
// layers before it left the memory. Frameworks on CPUs are run behind allocators that keep memory for this
// reason.

#include <malloc.h>

#include <limits>

namespace layersim {

inline void keep_freed_memory() {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  mallopt(M_ARENA_MAX, 1);
}

// Between two layers, so that what one leaves behind is no matter to the next, and pieces do not add up.
inline void give_back_freed_memory() { malloc_trim(0); }

}  // namespace layersim
