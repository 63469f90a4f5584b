#pragma once
// One device file: a JSON object with plain text for the names, and {"value": ..., "source": ...} for every
// fact.

#include <filesystem>
#include <string_view>

#include "hwdb/device.h"

namespace layersim {

// Throws bad_input for anything that is missing, unknown, out of range or contradicts itself
// (peak_fp32_gflops against cores x clock, bandwidth against bus width x data rate).
[[nodiscard]] Device read_device_file(const std::filesystem::path& path);

// The same from text; `name` stands before every error.
[[nodiscard]] Device read_device_text(const std::string& name, std::string_view text);

// Lower-case letters, digits and hyphens.
[[nodiscard]] bool is_device_key(std::string_view text);

}  // namespace layersim
