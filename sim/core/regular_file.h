#pragma once
// Output files that are no files: devices, pipes and sockets are written to, never replaced by a new file.

#include <filesystem>

namespace layersim {

// A device, a pipe or a socket, also by a link.
[[nodiscard]] bool is_device_or_pipe(const std::filesystem::path& file);

// Opens such a file for writing and returns the descriptor. Throws bad_use naming it where it cannot be
// written, and where it is a pipe that nobody reads: opening that would wait for a reader for ever.
[[nodiscard]] int open_device_or_pipe(const std::filesystem::path& file);

// Throws bad_use where something other than a regular file has this name: a new file must not be renamed to
// it.
void check_replaceable(const std::filesystem::path& file);

}  // namespace layersim
