#pragma once
// Parts of the program that need a heavy library are modules of their own (shared objects), loaded only when
// a command needs them.

namespace layersim {

// The function `entry` of the module `file` ("layersim_torch.so"), which lies beside the program, in its
// lib/layersim, or in the build folder. nullptr when there is no such module. Throws bad_use with the
// loader's message when it is there but cannot be loaded.
[[nodiscard]] void* find_module_entry(const char* file, const char* entry);

}  // namespace layersim
