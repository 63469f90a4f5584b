#pragma once
// Parts of the program that need a heavy library are modules of their own (shared objects), loaded only when
// a command needs them.

namespace layersim {

// Whether the module `file` ("layersim_torch.so") lies beside the program, in its lib/layersim, or in the
// build folder. Does not load it.
[[nodiscard]] bool has_module(const char* file);

// The function `entry` of the module. nullptr when there is no such module. Throws bad_use with the loader's
// message when it is there but cannot be loaded.
[[nodiscard]] void* find_module_entry(const char* file, const char* entry);

}  // namespace layersim
